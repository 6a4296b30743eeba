import { configDefaults, defineConfig } from 'vitest/config'

// Forks, not threads: a test that kills or leaks processes must not share one with another test file.
// Two workers: budgets are measured in milliseconds, and CI machines have two cores.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // npm run test:install
    exclude: [...configDefaults.exclude, 'test/install/**'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    globals: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
})
