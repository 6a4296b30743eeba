// What a child has that Node's has not: stop(), settled, budget, leftovers, owner; and when its events come.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { hostProgram, runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  guardEachTest()

  it('stop(), settled, and the options of a tree', async () => {
    const { code, stdout, stderr } = await runProgram(hostProgram(runtime, 'child-process/extras.mjs'))
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      settled: ['empty', 'exit', 'subreaper'],
      'settled of a failed start': [null, null],
      stop: ['empty', 'stop', false],
      'stop before the spawn event': ['empty', 'number'],
      'all that came while the loop was blocked': ['number', 0],
      'a bad budget': 'ERR_OUT_OF_RANGE',
      'close comes when nothing is left': false,
      budget: ['SIGKILL', true],
      'SIGTERM where killSignal is another one': [true, 'asked', 'SIGKILL'],
      'killSignal stops': ['asked', 'SIGKILL', false],
      "leftovers: 'keep'": [true, false],
      'the timeout while the loop is blocked': [false, 'timeout'],
      owner: ['server', 'SIGTERM', false, 'ERR_PROCLEASH_OWNER_RELEASED'],
      'an exception of a listener of spawn': ['thrown', 'x'],
    })
  })
})
