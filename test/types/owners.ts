// The public types of owners, leases, logs, events and tools, as a user's program sees them. Only checked, never run.

import type {
  LeaseState,
  Owner,
  Release,
  SettleEvent,
  Settlement,
  SpawnOptions,
  StopEvent,
  Subprocess,
  Tail,
  TreeEntry,
} from 'procleash'
import {
  createOwner,
  IoLease,
  LeaseRevokedError,
  LogError,
  OwnerExistsError,
  OwnerReleasedError,
  run,
  spawn,
  tail,
  transfer,
  UnknownTreeError,
} from 'procleash'
import { type ProcessTools, processTools } from 'procleash/tools'

export async function owning(): Promise<void> {
  const session: Owner = createOwner('session', { budget: 3000, kinds: { watcher: { unfinished: false } } })
  const turn: Owner = session.child('turn')
  const options: SpawnOptions = { owner: turn, kind: 'bash', label: 'server', log: '/tmp/log' }
  const command: Subprocess = await spawn('sleep', ['60'], options)
  await turn.spawn('sleep')
  const text: string = (await turn.run('true')).stdout
  const bytes: Uint8Array = (await turn.run('true', [], { encoding: 'buffer' })).stdout
  await run('true', [], { owner: turn })
  const entries: TreeEntry[] = await session.list({ kind: 'bash', recursive: false })
  const pid: number | null = entries[0]?.pid ?? null
  const busy: boolean = session.unfinished()
  const same: Subprocess = session.get(command.id)
  const stopped: Settlement[] = await session.stop({ kind: 'bash', budget: 500, reason: 'enough' })
  const moved: boolean = transfer(command, session)
  const end: Tail = await tail(command, { bytes: 100 })
  const other: Tail = await tail('/tmp/log')
  const release: Release = await session.release({ budget: 500, reason: 'deleted' })
  use(text, bytes, pid, busy, same, stopped, moved, end.text, other.truncated, release.trees[0]?.settlement)
  use(session.parent?.id, session.path[0], session.released, command.log)
}

export async function disposing(): Promise<void> {
  await using session = createOwner('session')
  await session.spawn('sleep', ['60'])
}

export async function leasing(): Promise<void> {
  const lease = new IoLease({ budget: 300 })
  const command: Subprocess = lease.covers(await spawn('sleep'))
  const starting: Promise<Subprocess> = lease.covers(spawn('sleep'))
  const length: number | undefined = lease.guard((word: string) => word.length)('word')
  const later: Promise<number> | undefined = lease.guard(async () => 1)()
  lease.revoke('why')
  const state: LeaseState = lease.state
  const aborted: boolean = lease.signal.aborted
  await lease.acknowledged
  const settlements: readonly Settlement[] = await lease.ended
  use(command, await starting, length, await later, state, aborted, settlements)
}

export async function controlling(owner: Owner): Promise<void> {
  const tools: ProcessTools = processTools(owner, { kinds: ['bash'], maxBytes: 1000, budget: 500 })
  const { processes } = await tools.process_list.execute({})
  const { output } = await tools.process_output.execute({ id: processes[0]?.id ?? '', bytes: 10 })
  const killed = await tools.process_kill.execute({ id: 'x', signal: 'SIGINT' })
  if ('sent' in killed) use(killed.sent)
  else use(killed.outcome)
  for (const { name, inputSchema } of Object.values(tools)) use(name, inputSchema.required)
  use(output)
}

export function told(settle: SettleEvent, stop: StopEvent): void {
  use(settle.settlement.outcome, settle.owner[0], stop.reason, stop.message, stop.requestedAt)
}

export function caught(error: unknown): string | undefined {
  if (error instanceof OwnerExistsError || error instanceof OwnerReleasedError) return error.code
  if (error instanceof UnknownTreeError || error instanceof LogError) return error.fix
  if (error instanceof LeaseRevokedError) return String(error.cause)
  return undefined
}

export async function refused(owner: Owner): Promise<void> {
  // @ts-expect-error: a kind is a word
  await owner.stop({ kind: 7 })
  // @ts-expect-error: an owner has an id
  createOwner()
  // @ts-expect-error: an owner is not its id
  await spawn('true', [], { owner: 'session' })
  // @ts-expect-error: what a release gives stays so
  ;(await owner.release()).outcome = 'empty'
  // @ts-expect-error: a tool needs an id
  await processTools(owner).process_kill.execute({})
}

function use(...values: readonly unknown[]): void {
  void values
}
