import { defineConfig } from 'vitest/config'

// The whole suite without native code: see test/group/expected.ts.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/group/setup.ts',
    env: {
      PROCLEASH_GRADE: 'group',
      PROCLEASH_TEST_RUNTIMES: process.env.PROCLEASH_TEST_RUNTIMES ?? 'node20',
    },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default'],
  },
})
