// Programs started where a folder is mounted in another way, or where the kernel refuses executable memory files: in
// namespaces of their own, so that nobody else sees it. Each checks that it is so before the program starts.

export type MountKind = 'read-only' | 'empty, noexec' | 'noexec'

const NOT_SO = 'exit 90'
const refusesWriting = `if (: >"$0/probe") 2>/dev/null; then ${NOT_SO}; fi`
const refusesExecution = `/usr/bin/cp /usr/bin/true "$0/probe"; if "$0/probe" 2>/dev/null; then ${NOT_SO}; fi`
const bind = (option: string) =>
  `/usr/bin/mount --bind "$0" "$0"; /usr/bin/mount -o remount,bind,${option} "$0"`

const mounts: Readonly<Record<MountKind, string>> = {
  'read-only': `${bind('ro')}; ${refusesWriting}`,
  'empty, noexec': `/usr/bin/mount -t tmpfs -o noexec none "$0"; ${refusesExecution}`,
  noexec: `${bind('noexec')}; ${refusesExecution}`,
}

/** The argv that runs another one with the folder mounted like that. Needs `mount-namespace`. */
export function withMount(kind: MountKind, folder: string, argv: readonly string[]): string[] {
  // The working directory is entered again: it may lie in the folder.
  const script = `${mounts[kind]}; cd "$PWD"; exec "$@"`
  return ['/usr/bin/unshare', '--mount', 'sh', '-ec', script, folder, ...argv]
}

/** The argv that runs another one under vm.memfd_noexec=2. Needs `memfd-rule`. */
export function withMemfdRule(argv: readonly string[]): string[] {
  const script = 'echo 2 >/proc/sys/vm/memfd_noexec; exec "$@"'
  const namespace = ['--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc']
  return ['/usr/bin/unshare', ...namespace, 'sh', '-ec', script, 'sh', ...argv]
}
