// spawn(): start a command and keep hold of its tree.

import { AbortError } from './errors.js'
import { DEFAULTS, type Defaults, spawnPlan } from './options.js'
import { isReleased, releasedError } from './owners/node.js'
import { launch, pidOf } from './start.js'
import { createSubprocess } from './subprocess.js'
import type { SpawnOptions, Subprocess } from './types.js'

/**
 * Starts a command, in a session of its own, and resolves once it runs. It is stopped with everything it has started
 * when `stop()` is called, when `signal` is aborted, when `timeout` has passed and when this process ends in any way.
 *
 * `file` is looked up in PATH unless it holds a slash. There is no shell: for one, start `bash` with `['-c', script]`.
 * The call itself never waits for the new process.
 *
 * @throws {InvalidOptionError} for an argument or option that is not valid.
 * @throws {SpawnError} when the system refuses: `ENOENT`, `EACCES`, `E2BIG`, `EAGAIN`, ... (execve(2), fork(2)).
 * @throws {AbortError} when `signal` was aborted before the command ran; what had been started is gone by then.
 * @throws {OwnerReleasedError} when its owner was released before the command ran; what had been started is gone.
 * @throws {GradeError} when `require` can't be met.
 * @throws {HelperError} {@link SupervisorLostError} {@link NativeMissingError} when the native side can't be used.
 * After any of these nothing is left running.
 */
export function spawn(file: string, args?: readonly string[], options?: SpawnOptions): Promise<Subprocess> {
  return spawnWith(DEFAULTS, file, args, options)
}

/**
 * The same with other defaults: an owner's.
 * @internal
 */
export async function spawnWith(
  defaults: Defaults,
  file: string,
  args?: readonly string[],
  options?: SpawnOptions,
): Promise<Subprocess> {
  const plan = spawnPlan(defaults, file, args, options)
  const tree = launch(plan)
  const pid = await pidOf(tree)
  if (plan.signal?.aborted) {
    // The stop was sent with the abort, or right after the start.
    await tree.settled
    throw new AbortError(plan.signal.reason)
  }
  if (plan.owner !== null && isReleased(plan.owner)) {
    // Released while it was being started: its stop was sent with the release, or right after the start.
    await tree.settled
    throw releasedError(plan.owner)
  }
  return createSubprocess(tree, pid)
}
