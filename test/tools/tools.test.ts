// process_list, process_output and process_kill as a model calls them: with what it finds in the schemas, and with
// what models send instead.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { portable, useOwnerHost } from '../support/owners.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('are plain definitions: name, description, schema, execute', async () => {
    const tools = await host().evaluate(({ procleash }) => {
      const owner = procleash.createOwner('defined')
      const definitions = extras.processTools(owner, { maxBytes: 1000 })
      const keys = Object.keys(definitions)
      return Object.values(definitions).map(({ name, description, inputSchema, execute }, index) => ({
        key: keys[index],
        name,
        words: description.split(' ').length,
        inputSchema,
        execute: typeof execute,
      }))
    }, null)
    expect(tools.map(({ key, name, execute }) => ({ key, name, execute }))).toEqual(
      ['process_list', 'process_output', 'process_kill'].map((name) => ({
        key: name,
        name,
        execute: 'function',
      })),
    )
    for (const { words, inputSchema } of tools) {
      expect(words).toBeGreaterThan(10)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      for (const name of inputSchema.required) expect(inputSchema.properties).toHaveProperty(name)
      for (const { description } of Object.values(inputSchema.properties)) expect(description).toBeTruthy()
    }
    expect(tools[1]?.inputSchema.properties.bytes).toMatchObject({
      type: 'integer',
      minimum: 0,
      maximum: 1000,
    })
  })

  it('list, show and stop what runs in the background, and show it after its end too', async () => {
    const log = join(host().dir, 'server.log')
    const told = await host().evaluate(async ({ procleash }, path) => {
      const owner = procleash.createOwner('agent')
      const tools = extras.processTools(owner)
      const script = 'trap "echo bye; exit 4" TERM; echo listening on 3000; while :; do sleep 0.02; done'
      const options = { log: path, kind: 'bash', label: 'dev server' }
      const command = await owner.child('turn-1').spawn('bash', ['-c', script], options)
      const listed = await tools.process_list.execute({})
      const id = listed.processes[0]!.id
      let running = await tools.process_output.execute({ id })
      while (running.output === '') running = await tools.process_output.execute({ id })
      const cut = await tools.process_output.execute({ id, bytes: 5 })
      const killed = await tools.process_kill.execute({ id })
      const ended = await tools.process_output.execute({ id })
      const after = await tools.process_list.execute({})
      const again = await extras.codeOf(() => tools.process_kill.execute({ id }))
      return { pid: command.pid, same: id === command.id, listed, running, cut, killed, ended, after, again }
    }, log)
    expect(told.same).toBe(true)
    expect(told.listed.processes).toEqual([
      {
        id: expect.any(String),
        pid: told.pid,
        kind: 'bash',
        label: 'dev server',
        command: expect.stringMatching(/^bash -c trap .*echo listening/),
        cwd: host().dir,
        state: 'running',
        age: expect.any(Number),
        cpuTime: expect.any(Number),
        memory: expect.any(Number),
        processes: expect.any(Number),
        hasOutput: true,
      },
    ])
    const output = 'listening on 3000\n'
    expect(told.running).toMatchObject({
      state: 'running',
      code: null,
      signal: null,
      output,
      truncated: false,
    })
    expect(told.cut).toMatchObject({ output: '3000\n', truncated: true, size: 18 })
    expect(told.killed).toMatchObject({ outcome: 'empty', escalated: false, survivors: [] })
    expect(told.ended).toMatchObject({ state: 'ended', code: 4, signal: null })
    // The shell may say in between that its sleep was terminated.
    expect(told.ended.output).toMatch(/^listening on 3000\n(Terminated\n)?bye\n$/)
    expect(told.after).toEqual({ processes: [] })
    expect(told.again).toBe('UnknownTreeError ERR_PROCLEASH_UNKNOWN_TREE')
  })

  it('process_kill ends the whole tree; with a signal it only sends that', async () => {
    const trees = [plantTree('own-session.sh'), plantTree('shell-and-child.sh')]
    const ids = await host().evaluate(async ({ procleash }, [whole, signalled]) => {
      const owner = procleash.createOwner('killing')
      extras.owners.killing = owner
      const commands = [await extras.plant(owner, whole!), await extras.plant(owner, signalled!)]
      return commands.map(({ id }) => id)
    }, trees.map(portable))
    await Promise.all(trees.map((tree) => tree.ready()))

    const told = await host().evaluate(async (_, [whole, signalled]) => {
      const { process_kill } = extras.processTools(extras.owners.killing!, { budget: 700 })
      const sent = await process_kill.execute({ id: signalled!, signal: 'SIGCONT' })
      return { sent, stopped: await process_kill.execute({ id: whole! }) }
    }, ids)
    expect(told.sent).toEqual({ id: ids[1], signal: 'SIGCONT', sent: true })
    expect(told.stopped).toMatchObject({ id: ids[0], outcome: 'empty' })
    expect(trees[0]!.alive()).toEqual([])
    expect(trees[1]!.alive().sort()).toEqual(['child', 'shell'])
    await host().evaluate(() => extras.owners.killing!.release(), null)
  })

  it('can be kept to some kinds', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('some kinds')
      const bash = await owner.spawn('sleep', ['60'], { kind: 'bash' })
      const agent = await owner.spawn('sleep', ['60'], { kind: 'subagent' })
      const bare = await owner.spawn('sleep', ['60'])
      const tools = extras.processTools(owner, { kinds: ['bash'] })
      const all = extras.processTools(owner)
      const ids = async (list: ReturnType<typeof all.process_list.execute>) =>
        (await list).processes.map(({ id }) => id)
      const answer = {
        seen: await ids(tools.process_list.execute({})),
        chosen: (await ids(all.process_list.execute({ kind: 'subagent' }))).length,
        agent: await extras.codeOf(() => tools.process_kill.execute({ id: agent.id })),
        bare: await extras.codeOf(() => tools.process_kill.execute({ id: bare.id })),
        bash: bash.id,
      }
      await owner.release()
      return answer
    }, null)
    expect(told).toMatchObject({
      seen: [told.bash],
      chosen: 1,
      agent: 'UnknownTreeError ERR_PROCLEASH_UNKNOWN_TREE',
      bare: 'UnknownTreeError ERR_PROCLEASH_UNKNOWN_TREE',
    })
  })

  it('refuse what a model gets wrong, with a typed error each, and touch nothing', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('wrong')
      extras.owners.wrong = owner
      const command = await owner.spawn('sleep', ['60'])
      const { id } = command
      const tools = extras.processTools(owner)
      const wrong = <Type>(value: unknown) => value as Type
      const gone = procleash.createOwner('wrong and gone')
      const orphaned = extras.processTools(gone)
      await gone.release()
      const calls: Record<string, () => unknown> = {
        'no input': () => tools.process_list.execute(wrong(undefined)),
        'input a string': () => tools.process_kill.execute(wrong(id)),
        'input a list': () => tools.process_kill.execute(wrong([id])),
        'no id': () => tools.process_kill.execute(wrong({})),
        'id a pid': () => tools.process_kill.execute(wrong({ id: command.pid })),
        'id a pid as text': () => tools.process_kill.execute({ id: String(command.pid) }),
        'unknown id': () => tools.process_output.execute({ id: 'nobody' }),
        'unknown signal': () => tools.process_kill.execute({ id, signal: 'KILL' }),
        'signal 0': () => tools.process_kill.execute({ id, signal: wrong(0) }),
        'signal a list': () => tools.process_kill.execute({ id, signal: wrong(['SIGKILL']) }),
        'kind a number': () => tools.process_list.execute({ kind: wrong(7) }),
        'no log': () => tools.process_output.execute({ id }),
        'negative bytes': () => tools.process_output.execute({ id, bytes: -1 }),
        'too many bytes': () => tools.process_output.execute({ id, bytes: 1e9 }),
        'bytes as text': () => tools.process_output.execute({ id, bytes: wrong('100') }),
        'released: list': () => orphaned.process_list.execute({}),
        'released: output': () => orphaned.process_output.execute({ id }),
        'released: kill': () => orphaned.process_kill.execute({ id }),
        'no owner': () => extras.processTools(wrong({})),
        'kinds no list': () => extras.processTools(owner, { kinds: wrong('bash') }),
        'negative maxBytes': () => extras.processTools(owner, { maxBytes: -1 }),
        'negative budget': () => extras.processTools(owner, { budget: -1 }),
      }
      const codes: Record<string, string> = {}
      for (const [name, call] of Object.entries(calls)) codes[name] = await extras.codeOf(call)
      return { codes, pid: command.pid }
    }, null)
    const unknown = 'UnknownTreeError ERR_PROCLEASH_UNKNOWN_TREE'
    const type = 'InvalidOptionError ERR_INVALID_ARG_TYPE'
    const range = 'InvalidOptionError ERR_OUT_OF_RANGE'
    const signal = 'InvalidOptionError ERR_UNKNOWN_SIGNAL'
    const released = 'OwnerReleasedError ERR_PROCLEASH_OWNER_RELEASED'
    expect(told.codes).toEqual({
      'no input': type,
      'input a string': type,
      'input a list': type,
      'no id': type,
      'id a pid': type,
      'id a pid as text': unknown,
      'unknown id': unknown,
      'unknown signal': signal,
      'signal 0': signal,
      'signal a list': signal,
      'kind a number': type,
      'no log': 'LogError ERR_PROCLEASH_NO_LOG',
      'negative bytes': range,
      'too many bytes': range,
      'bytes as text': type,
      'released: list': released,
      'released: output': released,
      'released: kill': released,
      'no owner': type,
      'kinds no list': type,
      'negative maxBytes': range,
      'negative budget': range,
    })
    expect(isAlive(identify(told.pid))).toBe(true)
    await host().evaluate(() => extras.owners.wrong!.release(), null)
  })
})
