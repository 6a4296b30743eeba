// Arguments and environment are the command's business: nothing of ours writes them anywhere unasked, and nothing
// reads them on their way, no shell above all.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useOwnerHost } from '../support/owners.js'
import { argvOf, childrenOf, executableOf, readStat } from '../support/proc.js'
import { chosenRuntimes, forEachRuntime } from '../support/runtimes.js'
import { python } from '../support/tools.js'
import { waitUntil } from '../support/wait.js'

const SECRET = 'correct-horse-battery-staple'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('the environment of a command is what was given, and the mark, which says nothing but its tree', async () => {
    const told = await host().evaluate(async ({ procleash }, _) => {
      const given = await procleash.run('/usr/bin/env', ['-0'], { env: { A: '1' } })
      const inherited = await procleash.run('/usr/bin/env', ['-0'])
      return { given: given.stdout, inherited: inherited.stdout, own: { ...process.env } }
    }, null)
    const entries = (text: string) =>
      text
        .split('\0')
        .filter((entry) => entry !== '')
        .sort()
    const [a, mark, ...more] = entries(told.given)
    expect([a, ...more]).toEqual(['A=1'])
    expect(mark).toMatch(/^PROCLEASH_TREE=[0-9a-f.:-]+$/)
    const inherited = entries(told.inherited).filter((entry) => !entry.startsWith('PROCLEASH_TREE='))
    const { PROCLEASH_TREE: __, ...own } = told.own
    expect(inherited).toEqual(
      Object.entries(own)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    )
  })

  it('events and errors show neither arguments nor variables nor input', async () => {
    const told = await host().evaluate(async ({ procleash }, secret) => {
      const { inspect } = await extras.load<typeof import('node:util')>('node:util')
      const events = extras.collectEvents()
      const env = { TOKEN: secret }
      await procleash.run('true', [secret], { env, input: secret })
      const killed = await procleash.spawn('sleep', ['60', secret], { env }).then(
        (command) => command,
        () => null,
      )
      await killed?.stop()
      events.stop()
      const errors: string[] = []
      const attempts: readonly (readonly unknown[])[] = [
        ['no-such-program', [secret], { env }],
        ['/etc/passwd', [secret], { env }],
        ['true', [secret], { env, cwd: '/missing' }],
        ['true', [secret, 'x'.repeat(3_000_000)], { env }],
        ['true', [`${secret}\0`], { env }],
        ['true', secret, { env }],
        ['true', [{ secret }], { env }],
        ['true', [], { env: { TOKEN: `${secret}\0` } }],
        ['true', [], { env: { TOKEN: [secret] } }],
        ['true', [], { env: [`TOKEN=${secret}`] }],
        ['true', [secret], { env, timeout: -1 }],
      ]
      for (const attempt of attempts) {
        await Reflect.apply(procleash.spawn, undefined, attempt).catch((error: unknown) =>
          errors.push(inspect(error, { depth: 9, showHidden: true })),
        )
      }
      await Reflect.apply(procleash.run, undefined, ['true', [], { input: { secret } }]).catch(
        (error: unknown) => errors.push(inspect(error, { depth: 9, showHidden: true })),
      )
      const shown = events.seen.map((event) => JSON.stringify(event))
      return { shown, errors, attempts: attempts.length + 1 }
    }, SECRET)
    expect(told.shown.length).toBeGreaterThanOrEqual(5)
    expect(told.errors.length).toBe(told.attempts)
    for (const text of [...told.shown, ...told.errors]) expect(text).not.toContain(SECRET)
    expect(host().stderr()).not.toContain(SECRET)
  })
})

// What follows is native code's alone: one runtime tells as much as five.
const [runtime] = chosenRuntimes()

describe(runtime?.name ?? 'no runtime', () => {
  if (runtime === undefined || runtime.missing !== undefined) return
  const host = useOwnerHost(runtime)

  it('the names of keeper and supervisor show none of them', async () => {
    const pid = await host().evaluate(async ({ procleash }, secret) => {
      const command = await procleash.spawn('sleep', ['60'], { argv0: secret })
      extras.commands.secret = command
      return command.pid
    }, SECRET)
    const keeper = readStat(pid)?.ppid ?? 0
    const supervisor = readStat(keeper)?.ppid ?? 0
    for (const helper of [keeper, supervisor]) {
      expect(argvOf(helper)).toEqual(['procleash-supervisor'])
      expect(readFileSync(`/proc/${helper}/comm`, 'utf8')).not.toContain(SECRET)
    }
    await host().evaluate(() => extras.commands.secret!.stop(), null)
  })

  it('no shell stands between: every byte arrives as it was given, and the file is a file', async () => {
    const marker = join(host().dir, 'marker')
    const words = [
      `$(touch ${marker})`,
      `; touch ${marker}`,
      '`id`',
      '*',
      '"',
      "'",
      '\\',
      '~',
      '\n',
      '',
      '-e',
    ]
    const told = await host().evaluate(
      async ({ procleash }, { interpreter, args, file }) => {
        const print = 'import json, sys; print(json.dumps(sys.argv[1:]))'
        const { stdout } = await procleash.run(interpreter, ['-c', print, ...args])
        const refused = await extras.codeOf(() => procleash.spawn(`true; touch ${file}`))
        const command = await procleash.spawn('sleep', ['60'])
        extras.commands.direct = command
        return { stdout, refused, pid: command.pid }
      },
      { interpreter: python, args: words, file: marker },
    )
    expect(JSON.parse(told.stdout)).toEqual(words)
    expect(told.refused).toContain('ENOENT')
    expect(existsSync(marker)).toBe(false)
    await waitUntil(() => readStat(told.pid)?.comm === 'sleep', 10_000, 'the command runs')
    expect(executableOf(told.pid)).toMatch(/sleep|busybox|coreutils/)
    expect(childrenOf(readStat(told.pid)?.ppid ?? 0).map(({ pid }) => pid)).toEqual([told.pid])
    await host().evaluate(() => extras.commands.direct!.stop(), null)
  })
})
