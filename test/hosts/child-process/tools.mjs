// What the checks share: each gets the spawn function under test and nothing else of the implementation.

import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import process from 'node:process'

/** Resolves with what the child has said and done, in order, once it has closed. */
export function story(child) {
  const told = { events: [], stdout: '', stderr: '', code: undefined, signal: undefined, error: undefined }
  child.stdout?.on('data', (data) => {
    told.stdout += data
  })
  child.stderr?.on('data', (data) => {
    told.stderr += data
  })
  child.stdin?.on('error', () => {})
  for (const event of ['spawn', 'exit']) child.on(event, () => told.events.push(event))
  child.on('error', (error) => {
    told.events.push('error')
    told.error = error
  })
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      told.events.push('close')
      resolve({ ...told, code, signal })
    })
  })
}

export async function outputOf(child) {
  return (await story(child)).stdout.trim()
}

export function once(emitter, event) {
  return new Promise((resolve) => emitter.once(event, (...values) => resolve(values)))
}

/** Resolves at the first output: the command stands, its handlers are installed. */
export async function ready(child) {
  const [data] = await once(child.stdout, 'data')
  return String(data).trim()
}

export async function until(condition, deadline = 15_000) {
  for (const end = performance.now() + deadline; !condition(); ) {
    if (performance.now() > end) throw new Error('the condition did not come true')
    await pause(5)
  }
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

export function isAlive(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !/[ZX]/.test(text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3))
  } catch {
    return false
  }
}

/** `gone` or `left` after a while in which it could end; what is left is ended then. */
export async function fateOf(pid) {
  for (const end = performance.now() + 1000; isAlive(pid) && performance.now() < end; ) await pause(5)
  if (!isAlive(pid)) return 'gone'
  process.kill(pid, 'SIGKILL')
  return 'left'
}

/** A command deaf to SIGTERM that says when it is. */
export const deaf = 'trap "" TERM; echo ready; while :; do sleep 0.01; done'

/** The code of what a call throws. */
export function thrownBy(call) {
  try {
    const child = call()
    child.on('error', () => {})
    child.kill('SIGKILL')
    return 'nothing'
  } catch (error) {
    return error.code
  }
}

let expectUncaught
/** Messages of exceptions that no check was waiting for. */
export const strays = []

process.on('uncaughtException', (error) => {
  if (expectUncaught === undefined) strays.push(error.message)
  else expectUncaught(error.message)
  expectUncaught = undefined
})

/** The next exception that nobody catches, by its message. */
export function uncaught() {
  return new Promise((resolve) => {
    expectUncaught = resolve
  })
}

export const megabyte = Buffer.alloc(2 ** 20, 'abcdefghijklmnop')
