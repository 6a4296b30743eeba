// When a stop settles, what the tree held is free again.

import { expect, it } from 'vitest'
import { canListen, expectEmpty, expectWholeBudget } from '../support/expect.js'
import { stopIn700, useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C58: the port can be bound at the first try, though a deaf helper had inherited the socket', async () => {
    const tree = plantTree('port-server.py')
    const command = await host().plant(tree)
    const port = Number(tree.read('port'))
    expect(await canListen(port)).toBe(false)

    const settlement = await stopIn700(command)

    expect(await canListen(port)).toBe(true)
    expect(tree.alive()).toEqual([])
    expect(tree.has('mark.closed')).toBe(true)
    expectEmpty(settlement, 'stop')
    expectWholeBudget(settlement.elapsed)
  })
})
