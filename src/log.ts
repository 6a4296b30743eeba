// Option `log`: one file for both outputs, opened natively when the command is started. Reading it: see tail.ts.

import { StdioCode } from '../bindings/native.js'
import { InvalidOptionError } from './errors.js'
import type { StdioPlan } from './options.js'
import { absolutePath } from './paths.js'
import type { SpawnOptions } from './types.js'
import { checkNonEmptyString } from './validate.js'

/** A log is both outputs; one of them elsewhere would make it half a log. */
export function checkLog(log: unknown, options: SpawnOptions): void {
  checkNonEmptyString(log, 'log')
  for (const option of ['stdout', 'stderr'] as const) {
    if (options[option] === undefined) continue
    throw new InvalidOptionError({
      code: 'ERR_INVALID_ARG_VALUE',
      option,
      must: 'not be given with log, which gets both outputs',
      value: options[option],
      fix: 'Leave one of the two out; for a single output give { path, append: true }',
    })
  }
}

export function logPlan(log: string): StdioPlan {
  return { code: StdioCode.log, path: absolutePath(log) }
}
