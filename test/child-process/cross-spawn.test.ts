// cross-spawn's usual calls with our spawn behind its parsing give what cross-spawn itself gives.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { withPackages } from '../support/owners.js'
import { hostProgram, runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'

interface Told {
  readonly stdout: string
  readonly code: number
  readonly error?: { readonly code: string }
}

forEachRuntime((runtime) => {
  guardEachTest()

  it("cross-spawn's calls", async () => {
    const { code, stdout, stderr } = await runProgram(hostProgram(withPackages(runtime), 'cross-spawn.mjs'))
    expect(code, stderr).toBe(0)
    const results: Record<string, { readonly ours: Told; readonly theirs: Told }> = JSON.parse(stdout)
    expect(Object.keys(results).length).toBe(7)
    for (const [name, { ours, theirs }] of Object.entries(results)) {
      // Bun's and Deno's own say nothing of the code of a command that is missing.
      const isReference = runtime.name.startsWith('node') || ours.error === undefined
      if (isReference) expect({ name, ...ours }).toEqual({ name, ...theirs })
      else expect(ours.error).toMatchObject({ code: 'ENOENT' })
    }
    expect(results['a script with a shebang']?.ours.stdout).toBe('1 one word\n')
  })
})
