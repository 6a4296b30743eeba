// process_list: what runs.

import { listTrees } from '../owners/list.js'
import type { TreeEntry } from '../owners/types.js'
import { checkNonEmptyString } from '../validate.js'
import { checkInput, type ToolScope } from './scope.js'
import type { ListedProcess, ListInput, ListOutput, ToolDefinition } from './types.js'

/** Characters of a command line that are enough to know it again. */
const MOST_COMMAND = 500

export function processList(scope: ToolScope): ToolDefinition<ListInput, ListOutput> {
  const execute = async (input: ListInput): Promise<ListOutput> => {
    checkInput(input)
    const { kind } = input
    if (kind !== undefined) checkNonEmptyString(kind, 'kind')
    const trees = scope.trees().filter(({ plan }) => kind === undefined || plan.kind === kind)
    return { processes: (await listTrees(trees)).map(listed) }
  }
  return {
    name: 'process_list',
    description:
      'Lists the background processes that are running now: id, command, state, age in seconds, and the CPU time ' +
      '(ms), memory (bytes) and number of processes of each including everything it has started. ' +
      'The ids are what process_output and process_kill take.',
    inputSchema: {
      type: 'object',
      properties: {
        kind: { type: 'string', description: 'Only processes of this kind, for example "bash".' },
      },
      required: [],
      additionalProperties: false,
    },
    execute,
  }
}

function listed(entry: TreeEntry): ListedProcess {
  const { id, pid, kind, label, cwd, state, cpuTime, memory, processes } = entry
  const line = entry.argv.join(' ')
  return {
    id,
    pid,
    kind,
    label,
    command: line.length <= MOST_COMMAND ? line : `${line.slice(0, MOST_COMMAND)}…`,
    cwd,
    state,
    age: Math.max(0, Math.round((Date.now() - entry.startedAt) / 1000)),
    cpuTime,
    memory,
    processes,
    hasOutput: entry.log !== null,
  }
}
