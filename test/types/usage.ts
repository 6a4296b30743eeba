// The public types, as a user's program sees them. Only checked, never run: with Node's types by tsc, with Bun's, and
// by `deno check`. The comments that expect an error are part of the test.

import type {
  Capabilities,
  EndedProcess,
  Exit,
  LimitName,
  ProcessInfo,
  RunResult,
  Settlement,
  SettleReason,
  SpawnOptions,
  StopTreeOptions,
  Subprocess,
  Survivor,
} from 'procleash'
import {
  AbortError,
  capabilities,
  enableSubreaper,
  ForbiddenTargetError,
  HelperError,
  InvalidOptionError,
  inspectTree,
  LimitError,
  NoSuchProcessError,
  type Orphan,
  ProcfsError,
  ProcleashError,
  run,
  SpawnError,
  type Subreaper,
  SubreaperError,
  SupervisorLostError,
  spawn,
  stopTree,
  type TreeWatch,
  watchTree,
} from 'procleash'

export async function spawning(signal: AbortSignal): Promise<void> {
  const options: SpawnOptions = {
    cwd: '/',
    env: { PATH: '/bin', UNSET: undefined },
    argv0: 'name',
    stdin: 'pipe',
    stdout: { path: '/tmp/out', append: true },
    stderr: 2,
    signal,
    timeout: 1000,
    budget: 500,
    stopSignal: 'SIGINT',
    leftovers: 'keep',
    kind: 'bash',
    label: 'a word',
    require: 'tree',
    limits: { memory: 1 << 30, processes: 100, cpu: 0.5 },
    uid: 1000,
    gid: 1000,
    groups: [27],
    capabilities: { keep: ['CAP_NET_BIND_SERVICE'] },
    noNewPrivileges: true,
  }
  const command: Subprocess = await spawn('bash', ['-c', 'true'], options)
  await spawn('true')
  await spawn('true', [], { stdin: undefined, timeout: undefined })

  const pid: number = command.pid
  const args: readonly string[] = command.args
  const input: WritableStream<Uint8Array> | null = command.stdin
  const output: ReadableStream<Uint8Array> | null = command.stdout
  const exit: Exit = await command.exited
  const settlement: Settlement = await command.settled
  const stopped: Settlement = await command.stop({ budget: 100, reason: 'done' })
  const sent: boolean = command.kill('SIGUSR1') && command.kill(15) && command.kill()
  const processes: ProcessInfo[] = await command.processes()
  command.ref()
  command.unref()
  use(pid, args, input, output, exit, settlement, stopped, sent, processes)

  if (command.stdout !== null) for await (const chunk of command.stdout) use(chunk.byteLength)
  await command[Symbol.asyncDispose]()
}

export async function disposing(): Promise<void> {
  await using command = await spawn('sleep', ['60'])
  use(command.pid)
}

export async function running(): Promise<void> {
  const result: RunResult = await run('bash', ['-c', 'true'], {
    maxOutput: 1000,
    spillPath: '/tmp/all',
    input: 'text',
  })
  const text: string = result.stdout
  const bytes: Uint8Array = (await run('true', [], { encoding: 'buffer' })).stdout
  const code: number | null = result.code
  const reason: SettleReason = result.reason
  const dropped: number = result.dropped.stdout + result.dropped.stderr
  const kept: Subprocess | null = result.kept
  use(text, bytes, code, reason, dropped, kept)
}

export async function foreign(pid: number): Promise<void> {
  const processes: ProcessInfo[] = await inspectTree(pid)
  const options: StopTreeOptions = { budget: 0, signal: 'SIGINT', startTime: processes[0]?.startTime }
  const settlement: Settlement = await stopTree(pid, options)
  use(settlement, await stopTree(pid))
  await using watch: TreeWatch = await watchTree(pid, {
    leftovers: 'keep',
    hostDeath: 'keep',
    stopSignal: 'SIGINT',
  })
  const recording: 'polling' | 'events' = watch.recording
  use(recording, watch.mayMiss, await watch.exited, await watch.processes(), await watch.stop({ budget: 0 }))
  const settled: Settlement | null = await watch.settled
  use(settled, await watch.release())
}

export async function reaping(): Promise<string | undefined> {
  try {
    const subreaper: Subreaper = enableSubreaper({ unclaimedAfter: Infinity })
    const { reaped, unclaimed, zombies, living } = subreaper.counts()
    const orphans: readonly Orphan[] = await subreaper.orphans()
    use(reaped + unclaimed + zombies + living, orphans[0]?.owner?.[0], orphans[0]?.startTime)
    subreaper.disable()
    return undefined
  } catch (error) {
    return error instanceof SubreaperError ? error.code : undefined
  }
}

export function settled(settlement: Settlement): string {
  const ended: readonly EndedProcess[] = settlement.ended
  const survivors: readonly Survivor[] = settlement.survivors
  use(
    ended,
    survivors,
    settlement.usage.maxRss + settlement.usage.userTime + settlement.usage.systemTime,
    settlement.oomKills,
  )
  switch (settlement.outcome) {
    case 'empty':
      return settlement.proof
    case 'survivors':
      return survivors.map(({ pid, reason }) => `${pid} ${reason}`).join()
  }
}

export function caught(error: unknown): string | undefined {
  if (error instanceof SpawnError) return `${error.code} ${error.syscall} ${error.path} ${error.errno}`
  if (error instanceof InvalidOptionError) return `${error.code} ${error.option}`
  if (error instanceof LimitError) return `${error.code} ${error.value}`
  if (error instanceof HelperError || error instanceof SupervisorLostError) return error.fix
  if (error instanceof NoSuchProcessError || error instanceof ForbiddenTargetError) return error.code
  if (error instanceof ProcfsError) return error.fix
  if (error instanceof AbortError) return String(error.cause)
  if (error instanceof ProcleashError) return error.code
  return undefined
}

export function looking(): boolean {
  const found: Capabilities = capabilities()
  const limits: readonly LimitName[] = found.cgroup.limits
  use(
    limits,
    found.permissions.map(({ flag, effect }) => `${flag}: ${effect}`),
  )
  return (
    found.pidfd && found.grade !== 'group' && found.strongest !== 'group' && found.versions.procleash !== ''
  )
}

export async function refused(command: Subprocess, settlement: Settlement): Promise<void> {
  // @ts-expect-error: arguments are a list
  await spawn('ls', '-l')
  // @ts-expect-error: milliseconds are a number
  await spawn('ls', [], { timeout: '5s' })
  // @ts-expect-error: no such signal
  await spawn('ls', [], { stopSignal: 'SIGNOPE' })
  // @ts-expect-error: no such option
  await spawn('ls', [], { shell: true })
  // @ts-expect-error: no such limit
  await spawn('ls', [], { limits: { time: 1 } })
  // @ts-expect-error: no such capability
  await spawn('ls', [], { capabilities: { drop: ['CAP_NONE'] } })
  // @ts-expect-error: one or the other
  await spawn('ls', [], { capabilities: { keep: [], drop: [] } })
  // @ts-expect-error: no such word
  await spawn('ls', [], { stdout: 'pipes' })
  // @ts-expect-error: spawn keeps no output
  await spawn('ls', [], { maxOutput: 1 })
  // @ts-expect-error: what is settled stays so
  settlement.outcome = 'empty'
  // @ts-expect-error: may be null
  command.stdout.getReader()
  // @ts-expect-error: strings unless asked for otherwise
  const bytes: Uint8Array = (await run('ls')).stdout
  use(bytes)
}

function use(...values: readonly unknown[]): void {
  void values
}
