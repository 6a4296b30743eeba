// Around the whole suite: gives the run its name and folder, and at its end looks for anything that is left,
// whichever test it came from. What is found is named, ended by its pid, and fails the run.

import { randomUUID } from 'node:crypto'
import { carriersOf, describeProcess, endProcess, type ProcessStat, zombieChildrenOf } from './proc.js'
import { createSuiteFolder, removeSuiteFolder, SUITE_ID_VARIABLE, SUITE_VARIABLE, suiteId } from './suite.js'
import { waitUntil } from './wait.js'

const DEADLINE = 3000

export function setup(): (() => Promise<void>) | undefined {
  // Each project of the run comes here; they share its name and folder.
  if (process.env[SUITE_ID_VARIABLE] !== undefined) return undefined
  process.env[SUITE_ID_VARIABLE] = randomUUID().slice(0, 8)
  createSuiteFolder()
  return async () => {
    try {
      await checkNothingLeft()
    } finally {
      removeSuiteFolder()
    }
  }
}

async function checkNothingLeft(): Promise<void> {
  let left: ProcessStat[] = []
  try {
    await waitUntil(
      () => {
        left = leftProcesses()
        return left.length === 0
      },
      DEADLINE,
      'nothing left',
    )
  } catch {
    const names = left.map((stat) => `  ${describeProcess(stat)}`)
    for (const stat of left) endProcess(stat)
    throw new Error(`left by the suite after ${DEADLINE} ms:\n${names.join('\n')}`)
  }
}

/**
 * Only what carries this run's own mark, or is a child of this process, was started by it. Whatever else runs here, of
 * the same files or not (a benchmark, another run of the suite), is somebody else's: not to be named, never to be ended.
 */
function leftProcesses(): ProcessStat[] {
  return [...carriersOf(`${SUITE_VARIABLE}=${suiteId()}`), ...zombieChildrenOf(process.pid)]
}
