import { configDefaults, defineConfig } from 'vitest/config'

/** Of a run without native code, but for what is run: see test/group/expected.ts. */
export const groupGrade = {
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: 'test/group/setup.ts',
  env: {
    PROCLEASH_GRADE: 'group',
    PROCLEASH_TEST_RUNTIMES: process.env.PROCLEASH_TEST_RUNTIMES ?? 'node20',
  },
  testTimeout: 30_000,
  hookTimeout: 30_000,
}

// The whole suite. Forks and two workers as in vitest.config.ts.
export default defineConfig({
  test: {
    ...groupGrade,
    include: ['test/**/*.test.ts'],
    // Runs that attack keepers, supervisors and calls of native code: here there are none.
    exclude: [...configDefaults.exclude, 'test/install/**', 'test/{faults,properties,soak}/**'],
    pool: 'forks',
    maxWorkers: 2,
    // A test that is there to fail doesn't wait for all that it has asked for.
    onUnhandledError: ({ message }) => !/^\w+ host ended |^This needs native code/.test(message),
    reporters: ['default'],
  },
})
