// The order of test files: those that are known to take long come first, so that no worker is left with one of them
// when the others have nothing more to do.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONG = [
  'chaos/chaos',
  'properties/properties',
  'foreign/stop',
  'soak/soak',
  'foreign/watch-host',
  'child-process/checks',
  'foreign/watch',
  'subreaper/statuses',
  'foreign/race',
  'supervisor-death/every-shape',
  'cli/run',
  'pipes/flood',
  'guarantees/g2-budget',
]

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return place === -1 ? LONG.length : place
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
