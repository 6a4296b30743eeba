// The system calls that a fault can be put into, and the errors that each of them can give on Linux by its man page, of
// those that a program can meet. The order is the one in the fault page (see page.mjs) and in the layer.

/** Who makes the call. `launch` and `child` are the moments between vfork and exec. */
export const ROLES = /** @type {const} */ (['host', 'launch', 'supervisor', 'keeper', 'child'])

/** @typedef {(typeof ROLES)[number]} Role */

const DESCRIPTORS = ['EMFILE', 'ENFILE', 'ENOMEM']

/** @type {Record<string, readonly string[]>} */
export const ERRORS = {
  // EINTR is for slow devices and FIFOs (open(2)); nothing here waits for one.
  open: [...DESCRIPTORS, 'EACCES'],
  openat: [...DESCRIPTORS, 'EACCES'],
  read: ['EINTR', 'ENOMEM', 'EAGAIN'],
  write: ['EINTR', 'EAGAIN', 'EPIPE'],
  close: ['EINTR'],
  pipe2: DESCRIPTORS,
  socketpair: DESCRIPTORS,
  fcntl: ['EMFILE', 'EPERM'],
  dup2: ['EMFILE', 'EBUSY', 'EINTR'],
  fork: ['EAGAIN', 'ENOMEM', 'ENOSYS'],
  vfork: ['EAGAIN', 'ENOMEM', 'ENOSYS'],
  execve: ['EACCES', 'EAGAIN', 'ENOMEM', 'EMFILE', 'EPERM'],
  waitpid: ['EINTR'],
  waitid: ['EINTR'],
  kill: ['EPERM', 'ESRCH'],
  setsid: ['EPERM'],
  prctl: ['EINVAL', 'EPERM'],
  poll: ['EINTR', 'ENOMEM', 'EINVAL'],
  ppoll: ['EINTR', 'ENOMEM', 'EINVAL'],
  epoll_create1: DESCRIPTORS,
  epoll_ctl: ['ENOMEM', 'ENOSPC'],
  epoll_wait: ['EINTR'],
  eventfd: DESCRIPTORS,
  signalfd: DESCRIPTORS,
  sendmsg: ['EINTR', 'EAGAIN', 'ENOMEM', 'EPIPE', 'ECONNRESET'],
  send: ['EINTR', 'EAGAIN', 'ENOMEM', 'EPIPE', 'ECONNRESET'],
  recvmsg: ['EINTR', 'EAGAIN', 'ENOMEM', 'ECONNRESET'],
  recv: ['EINTR', 'EAGAIN', 'ENOMEM', 'ECONNRESET'],
  mmap: ['ENOMEM', 'EAGAIN'],
  mremap: ['ENOMEM'],
  chdir: ['EACCES', 'ENOMEM'],
  fchdir: ['EACCES'],
  lseek: ['EINVAL'],
  readlinkat: ['ENOMEM', 'EACCES'],
  faccessat: ['ENOMEM', 'EACCES'],
  nanosleep: ['EINTR'],
  pthread_create: ['EAGAIN'],
  // These by syscall(2).
  pidfd_open: [...DESCRIPTORS, 'ENOSYS', 'EPERM'],
  pidfd_send_signal: ['EPERM', 'ESRCH', 'ENOSYS', 'EINVAL'],
  clone3: ['EAGAIN', 'ENOMEM', 'ENOSYS', 'EPERM'],
  close_range: ['ENOSYS', 'ENOMEM'],
  memfd_create: [...DESCRIPTORS, 'ENOSYS'],
  execveat: ['EACCES', 'ENOSYS', 'ENOMEM'],
  getdents64: ['ENOMEM', 'EINTR'],
  // Not calls, but all of those that want the same thing: a whole shortage.
  descriptors: ['EMFILE', 'ENFILE'],
  memory: ['ENOMEM'],
}

export const CALLS = Object.keys(ERRORS)

/** Both fail until the shortage is over, never once. */
export const SHORTAGES = ['descriptors', 'memory']

/**
 * What stays so for a while: the call fails from then on. The others happen once; an EINTR for ever is no system's.
 *
 * @param {string} call
 * @param {string} error
 */
export function canLast(call, error) {
  if (['read', 'recv', 'recvmsg', 'send', 'sendmsg', 'write', 'poll', 'ppoll'].includes(call)) return false
  return !['EINTR', 'ESRCH'].includes(error)
}

const BY_NUMBER = [
  'pidfd_open',
  'pidfd_send_signal',
  'clone3',
  'close_range',
  'memfd_create',
  'execveat',
  'getdents64',
]

/** What the linker is told to send through the layer. */
export const WRAPPED = ['syscall', ...CALLS.filter((call) => ![...BY_NUMBER, ...SHORTAGES].includes(call))]
