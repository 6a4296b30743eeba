// process_output: the end of what a process has written to its log, also when it has ended.

import { noLogError, readTail } from '../tail.js'
import type { Tree } from '../tree.js'
import type { Exit } from '../types.js'
import { checkCount } from '../validate.js'
import { checkId, type ToolScope } from './scope.js'
import type { OutputInput, OutputOutput, ToolDefinition } from './types.js'

export function processOutput(scope: ToolScope): ToolDefinition<OutputInput, OutputOutput> {
  const { maxBytes } = scope
  const execute = async (input: OutputInput): Promise<OutputOutput> => {
    checkId(input)
    const { id, bytes = maxBytes } = input
    checkCount(bytes, 'bytes', maxBytes, `Ask for at most ${maxBytes} bytes`)
    const tree = scope.find(id, 'ended')
    if (tree.plan.log === undefined) throw noLogError(id)
    // Asked first: what it says of the end is then never newer than the output.
    const { code, signal } = await exitSoFar(tree)
    const state = tree.state()
    const { text, truncated, size } = await readTail(tree.plan.log, bytes)
    return { id, state, code, signal, output: text, truncated, size }
  }
  return {
    name: 'process_output',
    description:
      'Shows the end of what a background process has written (stdout and stderr together), with its state and, ' +
      'once its command has ended, its exit code or signal. Works after the end too.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Id of the process, from process_list.' },
        bytes: {
          type: 'integer',
          description: `How many bytes of the end to show. Default: ${maxBytes}.`,
          minimum: 0,
          maximum: maxBytes,
        },
      },
      required: ['id'],
      additionalProperties: false,
    },
    execute,
  }
}

async function exitSoFar(tree: Tree): Promise<Exit> {
  const running = Promise.resolve({ code: null, signal: null })
  return Promise.race([tree.exited, running])
}
