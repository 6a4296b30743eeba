import { defineConfig } from 'vitest/config'

// The whole suite without native code: see test/group/expected.ts.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/group/setup.ts',
    env: { PROCLEASH_GRADE: 'group' },
    pool: 'forks',
    maxWorkers: 2,
    globals: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: ['default'],
  },
})
