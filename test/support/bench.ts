// Results of a benchmark that nobody has run, for tests of what is made of them.

import { fileURLToPath } from 'node:url'
import type { Point, Results } from '../../bench/lib/results.mjs'

export const benchFolder = fileURLToPath(new URL('../../bench/', import.meta.url))

export function pointOf(about: Partial<Point>): Point {
  return {
    part: 'teardown',
    runtime: 'node24',
    case: { shape: 'setsid', size: 100 },
    contender: 'procleash',
    samples: {},
    ...about,
  }
}

export function resultsOf(points: readonly Point[]): Results {
  return {
    format: 1,
    began: '2026-01-01T00:00:00.000Z',
    mode: 'full',
    complete: true,
    environment: {
      kind: 'test',
      cpu: 'a CPU',
      cores: 2,
      memory: 8,
      os: 'Linux 6.18',
      load: 0.1,
      busy: false,
      cgroup2: true,
      transparentHugePages: 'madvise',
      versions: { procleash: '0.0.0' },
    },
    points: [...points],
  }
}

/** Values that differ a little, around one. */
export function around(value: number, count = 40): number[] {
  return Array.from({ length: count }, (_, index) => value * (1 + ((index * 7) % 10) / 100))
}
