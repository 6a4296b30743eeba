// The list of an owner's trees, with what each tree uses now. Keepers are asked, a few at a time: each of them reads
// /proc for its answer. One that does not answer costs its numbers, not the list.

import { clearTimeout, setTimeout } from 'node:timers'
import type { Tree } from '../tree.js'
import type { ProcessInfo } from '../types.js'
import { countsAsUnfinished } from './kinds.js'
import { ownerOf } from './node.js'
import type { ListedState, TreeEntry } from './types.js'

/** Milliseconds for all answers together. */
const PATIENCE = 2000
const AT_ONCE = 8

type Load = Pick<TreeEntry, 'cpuTime' | 'memory' | 'processes'>

const UNKNOWN: Load = { cpuTime: null, memory: null, processes: null }

export async function listTrees(trees: readonly Tree[]): Promise<TreeEntry[]> {
  const loads = new Map<Tree, Load>()
  const waiting = [...trees]
  let late = false
  const ask = async (): Promise<void> => {
    for (let tree = waiting.shift(); tree !== undefined && !late; tree = waiting.shift()) {
      loads.set(tree, sum(await tree.processes()))
    }
  }
  await atMost(PATIENCE, Promise.all(Array.from({ length: AT_ONCE }, ask)))
  late = true
  return trees.flatMap((tree) => {
    const state = tree.state()
    return state === 'ended' ? [] : [entryOf(tree, state, loads.get(tree) ?? UNKNOWN)]
  })
}

function entryOf(tree: Tree, state: ListedState, load: Load): TreeEntry {
  const { plan } = tree
  const owner = ownerOf(tree)
  return {
    id: tree.id,
    pid: tree.pid(),
    kind: plan.kind ?? null,
    label: plan.label ?? null,
    owner: owner?.path ?? [],
    unfinished: isUnfinished(tree),
    cwd: tree.cwd,
    argv: [plan.argv0, ...plan.args],
    log: plan.log ?? null,
    startedAt: tree.requestedAt,
    state,
    // A settled tree has no numbers any more: its keeper has said what is left, in the settlement.
    ...(state === 'starting' || state === 'survivors' ? UNKNOWN : load),
  }
}

/** Work that somebody waits for. What has settled is nobody's work any more, even where something survived. */
export function isUnfinished(tree: Tree): boolean {
  const owner = ownerOf(tree)
  const settled = ['survivors', 'ended'].includes(tree.state())
  return owner !== undefined && !settled && countsAsUnfinished(owner.kinds, tree.plan.kind)
}

function sum(processes: readonly ProcessInfo[]): Load {
  const total = (value: (process: ProcessInfo) => number): number =>
    processes.reduce((before, process) => before + value(process), 0)
  return {
    cpuTime: total(({ cpuTime }) => cpuTime),
    memory: total(({ memory }) => memory),
    processes: processes.length,
  }
}

/** The work, or no longer waiting for it. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
