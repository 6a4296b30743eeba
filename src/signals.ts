// Signal names and numbers, both ways. Names are the platform's own; real-time signals, which have no entry in
// `os.constants`, are written SIGRTMIN+n as kill(1) and bash write them.

import { constants } from 'node:os'
import { InvalidOptionError } from './errors.js'
import type { SignalName, SignalValue } from './types.js'

const LAST_SIGNAL = 64
// glibc keeps 32 and 33 for itself: its SIGRTMIN is 34, see signal(7).
const FIRST_REALTIME = 34

const numbers = new Map<string, number>(Object.entries(constants.signals))
for (let signo = FIRST_REALTIME; signo <= LAST_SIGNAL; signo += 1) numbers.set(realtimeName(signo), signo)
numbers.set('SIGRTMAX', LAST_SIGNAL)

// The first name of a number wins: SIGABRT, not SIGIOT; SIGIO, not SIGPOLL.
const names = new Map<number, string>()
for (const [name, signo] of numbers) if (!names.has(signo)) names.set(signo, name)

function realtimeName(signo: number): string {
  return signo === FIRST_REALTIME ? 'SIGRTMIN' : `SIGRTMIN+${signo - FIRST_REALTIME}`
}

/** Number of a signal given by name or number. Throws `ERR_UNKNOWN_SIGNAL`, also for 0: it would test, not send. */
export function signalNumber(value: SignalValue, option: string): number {
  const signo = typeof value === 'number' ? value : numbers.get(value)
  if (signo !== undefined && Number.isInteger(signo) && signo >= 1 && signo <= LAST_SIGNAL) return signo
  throw new InvalidOptionError({
    code: 'ERR_UNKNOWN_SIGNAL',
    option,
    must: 'be a signal of this platform',
    value,
    fix: `Give a name like 'SIGTERM', in capitals and with SIG, or a number from 1 to ${LAST_SIGNAL}`,
  })
}

/** Name of a signal's number; the kernel's two unnamed ones read SIGRTMIN-2 and SIGRTMIN-1, as bash counts. */
export function signalName(signo: number): SignalName {
  return (names.get(signo) ?? `SIGRTMIN${signo - FIRST_REALTIME}`) as SignalName
}
