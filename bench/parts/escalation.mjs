// Escalation: a thousand processes that are deaf to SIGTERM, often enough for the rare slow stop to be seen. Nobody else
// is measured: the teardown part compares.

import { fieldOf } from '../lib/field.mjs'
import { startWatcher } from '../lib/watcher.mjs'
import { stopOnce } from './teardown.mjs'

const TREE = { shape: 'deaf', size: 1000 }
const NAMES = ['procleash', 'procleash-cgroup']

/**
 * @param {import('./index.mjs').Choice} choice
 * @returns {import('../lib/run.mjs').Group[]}
 */
export function escalation({ main, quick }) {
  const rounds = quick ? 5 : 1000
  return [
    {
      part: 'escalation',
      runtime: main,
      case: TREE,
      seconds: quick ? 6 : 120,
      goal: { metric: 'gone', rounds, fastRounds: rounds },
      async open(hosts) {
        const watcher = startWatcher()
        const field = await fieldOf({
          runtime: main,
          names: NAMES,
          hosts,
          measure: (name, host) => stopOnce({ name, host, watcher, tree: TREE }),
        })
        return { ...field, close: watcher.end }
      },
    },
  ]
}
