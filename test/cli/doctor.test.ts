// `procleash doctor`: what it finds is so, its self-test can fail, and its exit status says whether the promise holds.

import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Examination } from '../../src/doctor/examine.js'
import { guardEachTest } from '../support/guard.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly via?: readonly string[]
}

forEachRuntime((runtime) => {
  guardEachTest()
  const doctor = (args: readonly string[], { env = {}, via = [] }: Options = {}) =>
    runProgram([...via, runtime.command, ...runtime.args, main, 'doctor', ...args], { env })
  const examine = async (options?: Options) => {
    const { code, stdout } = await doctor(['--json'], options)
    return { code, examination: JSON.parse(stdout) as Examination }
  }

  it('the promise holds here: a tree of seven kinds is stopped, and seen to be gone', async () => {
    const { code, examination } = await examine()
    expect(examination.problems).toEqual([])
    expect(code).toBe(0)
    const { capabilities, helperVersion, procleash, findings, selfTests } = examination
    expect(examination.runtime.name).toBe(runtime.name.replace(/\d+$/, ''))
    expect(helperVersion).toBe(procleash)
    expect(capabilities?.versions).toEqual({ procleash, addon: procleash })
    expect(capabilities?.grade).toBe('tree')
    for (const { name, effect, fix } of findings) expect([name, effect, fix]).not.toContain(undefined)
    expect(selfTests.length).toBeGreaterThan(0)
    for (const { ok, left, roles, settlement } of selfTests) {
      expect({ ok, left, outcome: settlement?.outcome }).toEqual({ ok: true, left: 0, outcome: 'empty' })
      expect(roles).toHaveLength(7)
      expect(settlement?.endedCount).toBeGreaterThanOrEqual(6)
    }
  })

  it('for people: a line for each finding, what is missing with its fix, and the verdict last', async () => {
    const { code, stdout } = await doctor([], { env: { PROCLEASH_DISABLE: 'pidfd,children' } })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok +subreaper$/m)
    expect(stdout).toMatch(/^missing +pidfd\n +.*\n +Use Linux 5\.3 or later/m)
    expect(stdout).toMatch(/^missing +children lists/m)
    expect(stdout).toMatch(/^ok +self-test of grade 'tree'/m)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^The promise holds here/)
  })

  itNeeds(['vfork'], 'status 1 where the helper is missing, with the fix', async () => {
    const { code, examination } = await examine({ env: { PROCLEASH_HELPER: '/nowhere/helper' } })
    expect(code).toBe(1)
    expect(examination).toMatchObject({ ok: false, helperVersion: null })
    expect(examination.problems.join()).toMatch(/\/nowhere\/helper is missing\. Install the package again/)
  })

  itNeeds(
    ['pid-namespace'],
    'status 1 below a /proc that is not its own: a stop proves nothing there',
    async () => {
      const { code, examination } = await examine({ via: ['unshare', '--pid', '--fork', '--kill-child'] })
      expect(code).toBe(1)
      expect(examination.capabilities?.procfs).not.toBe('own')
      expect(examination.problems[0]).toMatch(/^\/proc of this PID namespace is missing: .* --mount-proc$/)
    },
  )

  it('status 125 for a wrong command line', async () => {
    expect(await doctor(['--nonsense'])).toMatchObject({ code: 125, stdout: '' })
  })

  if (isDeno(runtime)) {
    it('says what Deno was not allowed: nothing works without --allow-ffi, the rest is a remark', async () => {
      const args = runtime.args.filter((arg) => arg !== '-A')
      const without = await runProgram([runtime.command, ...args, '--no-prompt', main, 'doctor'])
      expect(without.code).toBe(1)
      expect(without.stdout).toMatch(/--allow-ffi/)
      const narrow = await runProgram([
        runtime.command,
        ...args,
        '--no-prompt',
        '--allow-ffi',
        main,
        'doctor',
      ])
      expect(narrow.stdout).toMatch(/^missing +Deno --allow-read$/m)
      expect(narrow.code).toBe(0)
    })
  }
})

function isDeno({ name }: Runtime): boolean {
  return name === 'deno'
}
