// What a host was told, held against what a fault may change and what lives.

/**
 * @typedef {import('./host-process.mjs').Message} Message
 * @typedef {import('./page.mjs').Fault} Fault
 */

/** @param {{ first?: any }} message */
export function endingOf({ first }) {
  if (first.error !== undefined) return `error ${first.error.code}`
  const { outcome, reason, proof } = first.settlement
  return `${outcome} ${reason} ${proof}`
}

/**
 * @param {string} scenario
 * @param {Message} message
 * @param {Fault | undefined} fault
 */
export function liesIn(scenario, { first, later }, fault) {
  /** @type {string[]} */
  const found = []
  const unadopted = fault?.call === 'prctl' && (mayLack(fault) || fault.role === 'keeper')
  const outcomes = unadopted ? ['empty', 'survivors'] : ['empty']
  if (later.error !== undefined || later.code !== 3 || !outcomes.includes(later.outcome)) {
    found.push(`a later command fails: ${JSON.stringify(later)}`)
  }
  if (first.error !== undefined) {
    const { code, typed, message } = first.error
    if (!typed || code === 'HANG') found.push(`no typed error: ${code} ${message}`)
    return found
  }
  const { settlement, exit, output } = first
  if (first.left && !mayLeave(fault)) found.push('a survivor that could have been ended lives on')
  if (settlement.outcome === 'empty' && settlement.alive.length > 0) {
    found.push(`settled ${endingOf({ first })}, and these live: ${settlement.alive}`)
  }
  const lost = settlement.reason === 'supervisor-lost' || settlement.reason === 'lease-lost'
  const ends = scenario === 'start' || scenario === 'leftovers'
  if (ends && !lost && (exit.code !== 7 || exit.signal !== null)) {
    found.push(`exit 7 was told as ${JSON.stringify(exit)}`)
  }
  // A read that finds nothing, with bytes there, is no kernel's: EAGAIN says that the pipe is empty.
  const whole = !(fault?.call === 'read' && fault.error === 'EAGAIN')
  if (whole && ends && !lost && output.error === '' && !output.text.endsWith('out\n')) {
    found.push(`the output is cut: ${JSON.stringify(output)}`)
  }
  return found
}

/**
 * Without a descriptor nothing is proved of who is not held by one, and so nobody is hit.
 *
 * @param {Fault | undefined} fault
 */
function mayLeave(fault) {
  const noPidfds = (process.env.PROCLEASH_DISABLE ?? '').split(',').includes('pidfd')
  return noPidfds || ['descriptors', 'memory'].includes(fault?.call ?? '')
}

/**
 * A system that refuses a thing for good, to the supervisor: it does without for as long as it lives.
 *
 * @param {Fault | undefined} fault
 */
export function mayLack(fault) {
  return fault?.role === 'supervisor' && ['ENOSYS', 'EPERM', 'EACCES', 'EINVAL'].includes(fault.error)
}
