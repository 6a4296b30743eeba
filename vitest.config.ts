import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.js'
import { groupGrade } from './vitest.group.config.js'

// Forks, not threads: a test that kills or leaks processes must not share one with another test file.
// Three workers for the two cores of CI machines: most of a test is waiting for a process.
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['test/**/*.test.ts'],
          // npm run test:install
          exclude: [...configDefaults.exclude, 'test/install/**'],
          globalSetup: 'test/support/global-setup.ts',
          testTimeout: 60_000,
          // On a CI machine that others load, a process may not get its turn for longer than any budget. What needed it
          // is named at the end: see scripts/test-summary.mjs.
          retry: process.env.CI ? 1 : 0,
          hookTimeout: 60_000,
        },
      },
      {
        // A short form of `npm run test:group`.
        extends: true,
        test: { ...groupGrade, name: 'group', include: ['test/guarantees/*.test.ts'] },
      },
    ],
  },
})
