// A plan as the native call takes it: numbers, and one string of NUL-terminated strings.

import { CallStep, Flag, HOST_ENVIRON, NO_LIMIT, Param, StdioCode } from '../bindings/native.js'
import { callError } from './failure.js'
import type { SpawnPlan, StdioPlan } from './options.js'
import type { Reactor } from './reactor.js'

/** Returns the handle of a tree that is being started; throws a typed error when nothing was. */
export function requestSpawn(reactor: Reactor, plan: SpawnPlan): number {
  const params = encodeParams(plan)
  const handle = reactor.native.spawn(params, encodeStrings(plan))
  if (handle > 0) return handle
  const step = params[Param.failedStep] ?? CallStep.memory
  const detail = params[Param.failedDetail] ?? 0
  throw callError({ errno: handle, step, detail }, plan, reactor.helperPath)
}

/** Microseconds in which the kernel counts a limit of CPU time (kCpuPeriod in native/core/cgroup.h). */
const CPU_PERIOD = 100_000

function encodeParams(plan: SpawnPlan): Float64Array {
  const { rights } = plan
  const params = new Float64Array(Param.count + rights.groups.length)
  const [stdin, stdout, stderr] = plan.stdio
  params[Param.argc] = 1 + plan.args.length
  params[Param.envc] = plan.env === null ? HOST_ENVIRON : plan.env.length
  params[Param.timeout] = plan.timeout
  params[Param.budget] = plan.budget
  params[Param.stopSignal] = plan.stopSignal
  params[Param.flags] =
    (plan.leftovers === 'keep' ? Flag.keepLeftovers : 0) |
    (plan.collect === null ? 0 : Flag.collect) |
    (plan.grade === 'cgroup' ? Flag.cgroup : 0)
  params[Param.stdin] = stdin.code
  params[Param.stdout] = stdout.code
  params[Param.stderr] = stderr.code
  params[Param.maxOutput] = plan.collect?.maxOutput ?? 0
  params[Param.limitMemory] = plan.limits.memory ?? NO_LIMIT
  params[Param.limitProcesses] = plan.limits.processes ?? NO_LIMIT
  params[Param.limitCpu] = plan.limits.cpu === undefined ? NO_LIMIT : Math.round(plan.limits.cpu * CPU_PERIOD)
  params[Param.rights] = rights.flags
  params[Param.uid] = rights.uid
  params[Param.gid] = rights.gid
  params[Param.capabilities] = rights.capabilities
  params.set(rights.groups, Param.count)
  return params
}

/** No string holds a NUL of its own: options.ts has refused it. */
function encodeStrings(plan: SpawnPlan): string {
  const paths = plan.stdio.map((stdio: StdioPlan) => stdio.path)
  const spillPath = plan.collect?.spillPath ?? ''
  const all = [plan.file, plan.cwd, ...paths, spillPath, plan.argv0, ...plan.args, ...(plan.env ?? [])]
  return `${all.join('\0')}\0`
}

/** Whether an output or input is a pipe to this process. */
export function isPipe(stdio: StdioPlan): boolean {
  return stdio.code === StdioCode.pipe
}
