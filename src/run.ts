// run(): start a command, wait for its tree to end, give its output. The outputs are read natively, so that neither
// a blocked event loop nor a flood costs anything here.

import { setTimeout as delay } from 'node:timers/promises'
import { getEngine } from './engine.js'
import { errnoName } from './errno.js'
import { DEFAULTS, type Defaults, runPlan, type SpawnPlan } from './options.js'
import { droppedBytes, outputText } from './output.js'
import { launch, pidOf } from './start.js'
import { createSubprocess } from './subprocess.js'
import type { CollectedOutput, Tree } from './tree.js'
import type { RunOptions, RunResult, Subprocess } from './types.js'

/** Milliseconds in which the end of an empty tree follows the command's own. */
const SETTLE_GRACE = 100

/**
 * Runs a command to the end of its tree and resolves with its output and how it ended. A non-zero exit, a signal, a
 * timeout and an abort on the way are results, not errors: see `code`, `signal` and `reason`. It rejects only when
 * nothing was started, with the errors of {@link spawn}.
 *
 * The result never waits for a process that holds the output open: see `leftovers`. An output that is not
 * `'pipe'` reads as empty.
 */
export function run(
  file: string,
  args: readonly string[] | undefined,
  options: RunOptions & { readonly encoding: 'buffer' },
): Promise<RunResult<Uint8Array>>
export function run(
  file: string,
  args?: readonly string[],
  options?: RunOptions & { readonly encoding?: 'utf8' | undefined },
): Promise<RunResult>
export function run(
  file: string,
  args?: readonly string[],
  options?: RunOptions,
): Promise<RunResult<string | Uint8Array>>
export function run(
  file: string,
  args?: readonly string[],
  options?: RunOptions,
): Promise<RunResult<string | Uint8Array>> {
  return runWith(DEFAULTS, file, args, options)
}

/**
 * The same with other defaults: an owner's.
 * @internal
 */
export async function runWith(
  defaults: Defaults,
  file: string,
  args?: readonly string[],
  options: RunOptions = {},
): Promise<RunResult<string | Uint8Array>> {
  const began = performance.now()
  const plan = runPlan(defaults, file, args, options)
  const tree = launch(plan)
  const release = getEngine().hold()
  try {
    const pid = await pidOf(tree)
    if (tree.stdin !== null) feed(tree.stdin, options.input ?? '')
    const kept = await whatIsKept(tree, pid)
    if (kept === null) await tree.outputEnded
    return await result(tree, kept, options.encoding ?? 'utf8', began)
  } finally {
    release()
  }
}

/** In the background: a command may end without reading its input, which is its own business. */
function feed(stdin: WritableStream<Uint8Array>, input: string | Uint8Array): void {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input
  const writer = stdin.getWriter()
  const ignore = (): void => {}
  if (bytes.length > 0) writer.write(bytes).catch(ignore)
  writer.close().catch(ignore)
}

/** With `leftovers: 'keep'`, the tree that is still there after the command; `null` once it has settled. */
async function whatIsKept(tree: Tree, pid: number): Promise<Subprocess | null> {
  if (tree.plan.leftovers !== 'keep') return null
  await tree.drained
  const left = await tree.processes()
  // An empty list is no proof: where /proc is another namespace's, the keeper sees none of its processes.
  if (left.length === 0) await Promise.race([tree.settled, delay(SETTLE_GRACE, undefined, { ref: false })])
  return tree.isSettled() ? null : createSubprocess(tree, pid)
}

async function result(
  tree: Tree,
  kept: Subprocess | null,
  encoding: 'utf8' | 'buffer',
  began: number,
): Promise<RunResult<string | Uint8Array>> {
  const { plan } = tree
  const settlement = kept === null ? await tree.settled : null
  const exit = await tree.exited
  const stdoutOpen = tree.isOutputOpen(1)
  const stderrOpen = tree.isOutputOpen(2)
  const { stdout, stderr, spillErrno } = tree.takeCollected()
  const dropped = { stdout: droppedBytes(stdout), stderr: droppedBytes(stderr) }
  return {
    stdout: encoded(stdout, plan, encoding),
    stderr: encoded(stderr, plan, encoding),
    ...exit,
    reason: settlement?.reason ?? 'exit',
    truncated: dropped.stdout > 0 || dropped.stderr > 0,
    dropped,
    spillPath: plan.collect?.spillPath || undefined,
    spillError: spillErrno < 0 ? errnoName(spillErrno) : null,
    settlement,
    kept,
    stdoutOpen,
    stderrOpen,
    duration: performance.now() - began,
  }
}

function encoded(output: CollectedOutput, plan: SpawnPlan, encoding: 'utf8' | 'buffer'): string | Uint8Array {
  return encoding === 'buffer' ? output.bytes : outputText(output, plan.collect?.maxOutput ?? 0)
}
