// What can't be seen from outside a host: the order in which a release asks for its stops, and a list while a keeper
// does not answer (the supervisor wakes one that is stopped). With trees that only take notes.

import { expect, it } from 'vitest'
import { DEFAULT_KINDS } from '../../src/owners/kinds.js'
import { listTrees } from '../../src/owners/list.js'
import { type OwnerNode, own } from '../../src/owners/node.js'
import { releaseNode } from '../../src/owners/stop.js'
import { unknownSettlement } from '../../src/settlement.js'
import type { Tree } from '../../src/tree.js'

function makeNode(id: string, parent: OwnerNode | null): OwnerNode {
  const node: OwnerNode = {
    id,
    path: [...(parent?.path ?? []), id],
    parent,
    budget: 3000,
    kinds: DEFAULT_KINDS,
    children: new Map(),
    leaving: new Set(),
    trees: new Map(),
    logs: new Map(),
    state: 'open',
    release: undefined,
  }
  parent?.children.set(id, node)
  return node
}

function makeTree(id: string, rest: Partial<Tree>): Tree {
  const tree: Partial<Tree> = {
    id,
    plan: { argv0: 'true', args: [] as readonly string[] } as Tree['plan'],
    requestedAt: 0,
    cwd: '/',
    started: Promise.resolve(2),
    settled: Promise.resolve(unknownSettlement()),
    gone: new Promise(() => {}),
    pid: () => 2,
    state: () => 'running',
    ...rest,
  }
  return tree as Tree
}

it('a release asks the deepest owners first, each for what remains of the budget', async () => {
  const roots = new Map<string, OwnerNode>()
  const session = makeNode('session', null)
  const first = makeNode('turn-1', session)
  const second = makeNode('turn-2', session)
  const call = makeNode('call', first)
  const asked: { owner: string; budget: number }[] = []
  for (const owner of [session, first, second, call]) {
    const stop = (budget: number): void => {
      asked.push({ owner: owner.id, budget })
      // Time passes from one request to the next.
      for (const end = performance.now() + 2; performance.now() < end; );
    }
    own(owner, makeTree(owner.id, { stop }))
  }

  const release = await releaseNode(session, ({ parent }) => parent?.children ?? roots, 1000, undefined)

  const order = asked.map(({ owner }) => owner)
  expect(order[0]).toBe('call')
  expect(order.slice(1, 3).sort()).toEqual(['turn-1', 'turn-2'])
  expect(order[3]).toBe('session')
  const budgets = asked.map(({ budget }) => budget)
  expect(budgets).toEqual([...budgets].sort((a, b) => b - a))
  expect(budgets[3]!).toBeLessThanOrEqual(994)
  expect(release).toMatchObject({ outcome: 'survivors', owner: ['session'] })
  expect(release.trees).toHaveLength(4)
})

it('a list goes without the numbers of a keeper that does not answer', async () => {
  const process = { cpuTime: 5, memory: 1000 } as Awaited<ReturnType<Tree['processes']>>[number]
  const heard = makeTree('heard', { processes: () => Promise.resolve([process, process]) })
  const unheard = makeTree('unheard', { processes: () => new Promise(() => {}) })

  const began = performance.now()
  const entries = await listTrees([unheard, ...Array(20).fill(heard)])

  expect(performance.now() - began).toBeLessThan(3000)
  expect(entries).toHaveLength(21)
  expect(entries[0]).toMatchObject({ id: 'unheard', processes: null, memory: null, cpuTime: null })
  for (const entry of entries.slice(1)) {
    expect(entry).toMatchObject({ id: 'heard', processes: 2, memory: 2000, cpuTime: 10 })
  }
})
