// procleash/tools: what a model may do with the processes of one owner. Plain definitions, whose shapes the SDKs
// take: see docs/tools.md. Input comes from a model, so each field is checked before anything is done.

import type { Owner } from '../owners/types.js'
import { processKill } from './process-kill.js'
import { processList } from './process-list.js'
import { processOutput } from './process-output.js'
import { toolScope } from './scope.js'
import type { ProcessTools, ProcessToolsOptions } from './types.js'

export type {
  JsonSchema,
  KillInput,
  KillOutput,
  ListedProcess,
  ListInput,
  ListOutput,
  OutputInput,
  OutputOutput,
  ProcessTools,
  ProcessToolsOptions,
  ToolDefinition,
} from './types.js'

/**
 * Three tools for a model: `process_list`, `process_output`, `process_kill`. They see the trees of `owner` and of the
 * owners below it, and nothing else: any other id is unknown to them, whether it exists or not.
 *
 * Each `execute` gives a plain object, fit for JSON. It rejects with a typed error whose message a model can act on:
 * {@link UnknownTreeError}, {@link LogError}, {@link InvalidOptionError}, {@link OwnerReleasedError}.
 *
 * @throws {InvalidOptionError} for an owner or option that is not valid.
 */
export function processTools(owner: Owner, options: ProcessToolsOptions = {}): ProcessTools {
  const scope = toolScope(owner, options)
  return {
    process_list: processList(scope),
    process_output: processOutput(scope),
    process_kill: processKill(scope),
  }
}
