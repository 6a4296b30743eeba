// Output and the end of a command are two things: a descendant may hold the pipes for longer than anybody cares to wait.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty, expectNotHeldUp } from '../support/expect.js'
import { seenAs } from '../support/grade.js'
import { startHost, stopIn700, useHost } from '../support/host.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C28: a job left in the background does not hold the result up, and is ended', async () => {
    const tree = plantTree('background-job.sh')
    const result = await remoteRun(host(), tree.file, tree.args, { env: tree.env })
    await tree.ready()

    expect(result).toMatchObject({
      code: 0,
      signal: null,
      reason: 'exit',
      stdout: 'before\nserver started\n',
    })
    expect(result.kept).toBeNull()
    expect(tree.alive()).toEqual([])
    expectEmpty(result.settlement, 'exit')
    expectAtOnce(result.settlement!.elapsed)
    expectNotHeldUp(result.duration)
  })

  it("C28: with leftovers: 'keep' it is still owned, and ends with a stop", async () => {
    const tree = plantTree('background-job.sh')
    const result = await remoteRun(host(), tree.file, tree.args, { env: tree.env, leftovers: 'keep' })
    await tree.ready()

    expect(result).toMatchObject({ code: 0, stdout: 'before\nserver started\n', settlement: null })
    expect([result.stdoutOpen, result.stderrOpen]).toEqual([true, true])
    expect(tree.alive()).toEqual(['server'])
    const kept = result.kept!
    expect(await kept.processes()).toEqual([expect.objectContaining(seenAs(tree.process('server')))])

    expectEmpty(await stopIn700(kept), 'stop')
    expect(tree.alive()).toEqual([])
  })

  it('C28: what is kept dies with the host', async () => {
    const tree = plantTree('background-job.sh')
    const dying = await startHost(runtime)
    await remoteRun(dying, tree.file, tree.args, { env: tree.env, leftovers: 'keep' })
    await tree.ready()
    expect(tree.alive()).toEqual(['server'])

    dying.kill('SIGKILL')

    await waitUntil(() => tree.alive().length === 0, 1500, 'the job is gone')
  })

  // Its pauses of 50 ms can become more than the 100 ms of silence that end a drain: on a machine that is too busy.
  it('C29: output that comes after the end of the leader is kept, all of it and in order', {
    retry: 2,
  }, async () => {
    const tree = plantTree('late-output.sh')
    const result = await remoteRun(host(), tree.file, tree.args, { env: tree.env })

    const lines = Array.from({ length: 10 }, (_, index) => `hook line ${index + 1}`)
    expect(result.stdout.trim().split('\n')).toEqual(['first', ...lines, 'hook-finished'])
    expect(result.code).toBe(0)
    expectEmpty(result.settlement, 'exit')
    expectNotHeldUp(result.duration)
  })
})
