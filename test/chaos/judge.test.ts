// The judge of a chaos run: it lets the truth pass, and nothing else.

import { expect, it } from 'vitest'
import { findLies, judgeSettlement } from './judge.mjs'
import { planRound } from './plan.mjs'

const [planned] = planRound('1', 'node20', 1, { execve: false }).trees
const sleeper = { ...planned!, index: 3, shape: 'sleeper' }
const short = { ...planned!, index: 3, shape: 'short' }

const settlement = {
  outcome: 'empty',
  reason: 'stop',
  proof: 'subreaper',
  escalated: false,
  elapsed: 5,
  ended: [100],
  endedCount: 1,
  survivors: [] as { pid: number; startTime: number; reason: string }[],
}
const killed = { code: null, signal: 'SIGTERM' }
const survivor = { pid: 100, startTime: 1, reason: 'uninterruptible' }
const causes = new Set(['exit', 'stop'])

it('lets the truth pass', () => {
  expect(judgeSettlement(sleeper, { settlement, exit: killed }, causes)).toEqual([])
  const exit = { code: 7, signal: null }
  expect(judgeSettlement(short, { settlement: { ...settlement, reason: 'exit' }, exit }, causes)).toEqual([])
})

it.each([
  { said: { reason: 'timeout' }, problem: "settled 'timeout', for which there was no cause: exit,stop" },
  { said: { reason: 'exit' }, problem: 'is said to have ended by itself: {"code":null,"signal":"SIGTERM"}' },
  { said: { proof: 'snapshot' }, problem: "'empty', 'stop', proved by 'snapshot'" },
  { said: { proof: 'none' }, problem: "'empty', 'stop', proved by 'none'" },
  { said: { survivors: [survivor] }, problem: "'empty' with 1 survivors" },
  { said: { outcome: 'survivors', survivors: [survivor] }, problem: 'has survivors after 5 ms: [{"pid":100' },
  { said: { endedCount: 0 }, problem: 'lists 1 ended processes and counts 0' },
])('finds fault with $said', ({ said, problem }) => {
  const problems = judgeSettlement(sleeper, { settlement: { ...settlement, ...said }, exit: killed }, causes)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(`tree 3 (sleeper) ${problem}`)
})

it('finds fault with a wrong exit status', () => {
  const told = { settlement: { ...settlement, reason: 'exit' }, exit: { code: 0, signal: null } }
  expect(judgeSettlement(short, told, causes)).toEqual([
    'tree 3 (short) ends with {"code":7,"signal":null}, and is said to have ended with {"code":0,"signal":null}',
  ])
})

it('finds who lives though its tree is said to be empty, or it to have ended, and nobody else', () => {
  const living = {
    pid: 100,
    startTime: 1,
    comm: 'sleep',
    state: 'S',
    ppid: 1,
    session: 1,
    text: '',
    tree: '5.3',
  }
  const told = (said: object) => new Map([[3, { settlement: { ...settlement, ...said }, exit: killed }]])
  expect(findLies(5, told({}), [living])).toHaveLength(1)
  expect(findLies(5, told({ outcome: 'survivors', survivors: [survivor] }), [living])).toHaveLength(1)
  expect(findLies(5, told({ outcome: 'survivors', ended: [] }), [living])).toEqual([])
  expect(findLies(6, told({}), [living])).toEqual([])
  expect(findLies(5, told({}), [{ ...living, tree: '5.4' }])).toEqual([])
})
