import { defineConfig } from 'vitest/config'

// The packed package, installed as a user would. Apart from the other tests: it has to be packed first, and needs
// package managers, bundlers and other systems' libraries.
export default defineConfig({
  test: {
    include: ['test/install/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/install/setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    globals: false,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    reporters: ['default'],
  },
})
