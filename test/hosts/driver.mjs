// The host under test: carries out requests that come as JSON lines on stdin, one answer a line on stdout.
// Runs unchanged in Node, Bun and Deno.

import * as childProcess from 'node:child_process'
import * as fs from 'node:fs'
import process from 'node:process'
import * as workerThreads from 'node:worker_threads'
import * as procleash from '../../dist/src/index.js'
import { endings } from './endings.mjs'
import { onRequests, say, send } from './lines.mjs'

/** handle -> { command, controller, stdout, stderr, times } */
const commands = new Map()
let lastHandle = 0

const context = {
  procleash,
  childProcess,
  fs,
  process,
  workerThreads,
  commands,
  kept: {},
  describeError,
  emit: say,
  takeCommand,
}

const operations = {
  async spawn({ file, args, options: { abortable, unread, env, ...options } }) {
    const controller = abortable ? new AbortController() : undefined
    const before = performance.now()
    const started = procleash.spawn(file, args, {
      ...options,
      ...(env && { env: { ...process.env, ...env } }),
      ...(controller && { signal: controller.signal }),
    })
    const spawnCall = performance.now() - before
    return { ...takeCommand(await started, { controller, unread }), spawnCall }
  },
  stop: ({ handle, options }) => get(handle).command.stop(options),
  kill: ({ handle, signal }) => get(handle).command.kill(signal),
  abort({ handle, reason }) {
    get(handle).controller.abort(reason === undefined ? undefined : new Error(reason))
  },
  processes: ({ handle }) => get(handle).command.processes(),
  exited: ({ handle }) => get(handle).command.exited,
  settled: ({ handle }) => get(handle).command.settled,
  output: ({ handle }) => outputOf(get(handle)),
  async allOutput({ handle }) {
    const entry = get(handle)
    await Promise.all([entry.stdout?.ended, entry.stderr?.ended])
    return outputOf(entry)
  },
  times: ({ handle }) => get(handle).times,
  async write({ handle, text }) {
    const writer = get(handle).command.stdin.getWriter()
    await writer.write(new TextEncoder().encode(text))
    writer.releaseLock()
  },
  closeInput: ({ handle }) => get(handle).command.stdin.close(),
  async run({ file, args, options: { env, ...options } }) {
    const startedAt = Date.now()
    const result = await procleash.run(file, args, {
      ...options,
      ...(env && { env: { ...process.env, ...env } }),
    })
    return {
      ...result,
      startedAt,
      kept: result.kept && { ...takeCommand(result.kept, { unread: true }), spawnCall: 0 },
    }
  },
  evaluate: ({ source, argument }) => new Function(`return (${source})`)()(context, argument),
  block({ ms, how }) {
    say('blocking')
    if (how === 'atomics') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    else if (how === 'execSync') childProcess.execSync(`sleep ${ms / 1000}`)
    else for (const end = performance.now() + ms; performance.now() < end; );
    return performance.now()
  },
  /** Answers, then ends the host. */
  end({ how }) {
    setTimeout(() => endings[how](), 0)
  },
  /** From here on the end of our input doesn't end us: the host ends when nothing keeps its loop alive. */
  letGo() {
    process.stdin.removeAllListeners('end')
  },
}

/** Takes a command into the table: notes when it ends, and reads its output unless told not to. */
function takeCommand(command, { controller, unread = false } = {}) {
  const handle = ++lastHandle
  const entry = { command, controller, times: { spawned: Date.now() } }
  commands.set(handle, entry)
  void command.exited.then(() => {
    entry.times.exited = Date.now()
  })
  void command.settled.then(() => {
    entry.times.settled = Date.now()
  })
  if (!unread) {
    entry.stdout = command.stdout && collect(command.stdout)
    entry.stderr = command.stderr && collect(command.stderr)
  }
  return { handle, pid: command.pid }
}

function collect(stream) {
  const decoder = new TextDecoder()
  const collected = { text: '', done: false, ended: undefined }
  collected.ended = (async () => {
    for await (const chunk of stream) collected.text += decoder.decode(chunk, { stream: true })
    collected.text += decoder.decode()
    collected.done = true
  })()
  collected.ended.catch((error) => say('stream-error', describeError(error)))
  return collected
}

function outputOf({ stdout, stderr }) {
  return {
    stdout: stdout?.text ?? '',
    stderr: stderr?.text ?? '',
    stdoutEnded: stdout?.done ?? false,
    stderrEnded: stderr?.done ?? false,
  }
}

function get(handle) {
  const entry = commands.get(handle)
  if (entry === undefined) throw new Error(`there is no command ${handle}`)
  return entry
}

function describeError(error) {
  if (!(error instanceof Error))
    return { name: typeof error, message: String(error), className: '', isError: false }
  return {
    name: error.name,
    message: error.message,
    code: error.code,
    option: error.option,
    value: typeof error.value === 'string' ? error.value : undefined,
    fix: error.fix,
    syscall: error.syscall,
    className: error.constructor.name,
    isError: true,
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  }
}

async function answer({ id, op, ...params }) {
  try {
    send({ id, result: (await operations[op](params)) ?? null })
  } catch (error) {
    send({ id, error: describeError(error) })
  }
}

onRequests((request) => void answer(request))

say('ready', { helper: procleash.capabilities().helper, pid: process.pid })
