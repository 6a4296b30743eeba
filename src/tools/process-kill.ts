// process_kill: stops a process and everything it has started, or sends it one signal.

import { stopTrees } from '../owners/stop.js'
import { signalName, signalNumber } from '../signals.js'
import type { SignalName } from '../types.js'
import { checkId, type ToolScope } from './scope.js'
import type { KillInput, KillOutput, ToolDefinition } from './types.js'

export function processKill(scope: ToolScope): ToolDefinition<KillInput, KillOutput> {
  const execute = async (input: KillInput): Promise<KillOutput> => {
    checkId(input)
    const { id, signal } = input
    const tree = scope.find(id, 'living')
    if (signal !== undefined) {
      // Refuses what is no signal, whatever its type.
      const number = signalNumber(signal as SignalName, 'signal')
      return { id, signal: signalName(number), sent: tree.kill(number) }
    }
    const [settlement] = await stopTrees([tree], scope.budget, 'process_kill')
    if (settlement === undefined) return { id, outcome: 'empty', escalated: false, survivors: [] }
    const { outcome, escalated, survivors } = settlement
    return { id, outcome, escalated, survivors }
  }
  return {
    name: 'process_kill',
    description:
      'Stops a background process and everything it has started: politely first, by force if it does not obey. ' +
      'Resolves when all of it has ended; survivors are named. With a signal it only sends that signal to the ' +
      'command and its group (for example SIGINT, or SIGHUP to make it reload) and stops nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Id of the process, from process_list.' },
        signal: { type: 'string', description: 'Name of a signal to send instead of stopping it.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
    execute,
  }
}
