// Bytes arrive as they were written: all of them, in order, in both directions and in every form of stdio.

import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useHost } from '../support/host.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('carries 32 MB of random bytes unchanged through a piped stdout', async () => {
    const file = join(host().dir, 'random')
    const sum = await host().evaluate(
      async ({ procleash, fs, kept }, path) => {
        const bytes = new Uint8Array(32 * 2 ** 20)
        for (let at = 0; at < bytes.length; at += 65_536)
          crypto.getRandomValues(bytes.subarray(at, at + 65_536))
        fs.writeFileSync(path, bytes)
        const command = await procleash.spawn('cat', [path])
        const parts: Uint8Array[] = []
        for await (const chunk of command.stdout!) parts.push(chunk.slice())
        kept.exit = await command.exited
        const copy = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
        let at = 0
        for (const part of parts) {
          copy.set(part, at)
          at += part.length
        }
        fs.writeFileSync(`${path}.copy`, copy)
        return copy.length
      },
      file,
      30_000,
    )
    expect(sum).toBe(32 * 2 ** 20)
    expect(sha256(readFileSync(`${file}.copy`))).toBe(sha256(readFileSync(file)))
  })

  it('keeps stdout and stderr apart', async () => {
    const result = await remoteRun(host(), 'bash', ['-c', 'echo out; echo err >&2; exit 3'])
    expect(result).toMatchObject({ stdout: 'out\n', stderr: 'err\n', code: 3, truncated: false })
  })

  it('decodes UTF-8 whose characters are cut between chunks', async () => {
    const result = await remoteRun(host(), 'bash', [
      '-c',
      "printf '\\xe2'; sleep 0.05; printf '\\x82'; sleep 0.05; printf '\\xac'",
    ])
    expect(result.stdout).toBe('€')
  })

  it('keeps the first and the last half of what is too much, and counts the rest', async () => {
    const result = await remoteRun(host(), 'bash', ['-c', 'seq 1 20000'], { maxOutput: 1000 })
    const whole = `${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\n`
    expect(result.stdout).toBe(whole.slice(0, 500) + whole.slice(-500))
    expect(result.dropped.stdout).toBe(whole.length - 1000)
    expect(result.truncated).toBe(true)
  })

  it('spills all output to a file that only its owner may read', async () => {
    const spillPath = join(host().dir, 'spill')
    const result = await remoteRun(host(), 'bash', ['-c', 'seq 1 20000; echo err >&2'], {
      maxOutput: 1000,
      spillPath,
    })
    expect(result.spillPath).toBe(spillPath)
    const spilled = readFileSync(spillPath, 'utf8')
    expect(spilled).toContain('err\n')
    expect(spilled.replace('err\n', '').trim().split('\n')).toHaveLength(20_000)
    expect(statSync(spillPath).mode & 0o777).toBe(0o600)
  })

  it('reads from and writes to files, appending when asked to', async () => {
    const path = join(host().dir, 'file')
    writeFileSync(path, 'from the file\n')
    const out = join(host().dir, 'out')
    for (const append of [false, true]) {
      const command = await host().spawn('cat', [], { stdin: { path }, stdout: { path: out, append } })
      expect(await command.exited()).toEqual({ code: 0, signal: null })
      await command.settled()
    }
    expect(readFileSync(out, 'utf8')).toBe('from the file\nfrom the file\n')
    expect(statSync(out).mode & 0o777).toBe(0o600)
  })
})
