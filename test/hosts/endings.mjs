// The ways in which a host ends itself at once.

import process from 'node:process'

/** Each to be called outside of any promise: what is thrown must be uncaught. */
export const endings = {
  exit: () => process.exit(0),
  throw: () => {
    throw new Error('thrown on purpose')
  },
  rejection: () => {
    void Promise.reject(new Error('rejected on purpose'))
  },
  abort: () => process.abort(),
}
