// Why a tree ends by what was done to it.

/** By `how` of an action. */
export const REASONS = /** @type {const} */ ({
  stop: 'stop',
  'stop owner': 'stop',
  abort: 'abort',
  revoke: 'abort',
  release: 'owner-released',
  kill: 'exit',
})
