// The driver with more at hand: owners, tools, events and the SDKs that tests use them with. What it adds is global
// (`extras`, see test/support/owners.ts), because functions that a test sends here can't import anything.

import diagnosticsChannel from 'node:diagnostics_channel'
import { monitorEventLoopDelay, performance as perf } from 'node:perf_hooks'
import * as procleash from '../../dist/src/index.js'
import * as tools from '../../dist/src/tools/index.js'

/** By name, for the next call. */
const owners = {}
const commands = {}

/** What a caller learns of an error. */
const codeOf = async (call) => {
  try {
    await call()
    return 'no error'
  } catch (error) {
    return `${error.constructor.name} ${error.code}`
  }
}

/** Starts one of test/trees/ for an owner. */
const plant = (owner, { file, args, env }, options = {}) =>
  owner.spawn(file, args, { stdout: 'ignore', stderr: 'ignore', ...options, env: { ...process.env, ...env } })

/** Collects events of all channels, in order. */
const collectEvents = () => {
  const seen = []
  const leave = ['spawn', 'exit', 'stop', 'escalate', 'lost', 'settle'].map((name) => {
    const listen = (event) => seen.push({ name, ...event })
    diagnosticsChannel.subscribe(`procleash:${name}`, listen)
    return () => diagnosticsChannel.unsubscribe(`procleash:${name}`, listen)
  })
  const stop = () => {
    for (const act of leave) act()
  }
  return { seen, stop }
}

/**
 * The longest time that the event loop was kept from a timer while `work` ran, in milliseconds: by the runtime's own
 * histogram in Node, by a timer of 1 ms elsewhere.
 */
const loopDelay = async (work) => {
  const isNode = process.versions.bun === undefined && process.versions.deno === undefined
  if (isNode) {
    const histogram = monitorEventLoopDelay({ resolution: 1 })
    // Its first sample counts from enable(): let it have one before.
    histogram.enable()
    await new Promise((resolve) => setTimeout(resolve, 20))
    histogram.reset()
    const result = await work()
    histogram.disable()
    return { result, longest: Math.max(0, histogram.max / 1e6 - 1) }
  }
  let longest = 0
  let last = perf.now()
  const timer = setInterval(() => {
    const now = perf.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  const result = await work()
  longest = Math.max(longest, perf.now() - last - 1)
  clearInterval(timer)
  return { result, longest }
}

const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

globalThis.extras = {
  procleash,
  owners,
  commands,
  processTools: tools.processTools,
  diagnosticsChannel,
  codeOf,
  plant,
  collectEvents,
  loopDelay,
  delay,
  load: (name) => import(name),
}

await import('./driver.mjs')
