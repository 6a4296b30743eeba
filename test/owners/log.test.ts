// Background commands: both outputs go to a file that stays, and tail() reads its end.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startOwnerHost, useOwnerHost } from '../support/owners.js'
import { descriptorsOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('gets both outputs, mode 0600, appended, with no pipe to the host', async () => {
    const log = join(host().dir, 'both.log')
    writeFileSync(log, 'before\n', { mode: 0o644 })
    const fresh = join(host().dir, 'fresh.log')
    const told = await host().evaluate(
      async ({ procleash }, { old, created }) => {
        const script = 'echo out; echo err >&2; exec sleep 60'
        const command = await procleash.spawn('sh', ['-c', script], { log: old })
        extras.commands.logged = command
        const other = await procleash.spawn('sh', ['-c', 'echo fresh'], { log: created })
        await other.settled
        return { pid: command.pid, log: command.log, streams: [command.stdout, command.stderr] }
      },
      { old: log, created: fresh },
    )
    await expect.poll(() => readFileSync(log, 'utf8')).toBe('before\nout\nerr\n')
    expect(told).toMatchObject({ log, streams: [null, null] })
    const open = descriptorsOf(told.pid)
    expect([open.get(1), open.get(2)]).toEqual([log, log])
    expect(readFileSync(fresh, 'utf8')).toBe('fresh\n')
    expect(statSync(fresh).mode & 0o777).toBe(0o600)
    await host().evaluate(() => extras.commands.logged!.stop(), null)
    expect(readFileSync(log, 'utf8')).toBe('before\nout\nerr\n')
  })

  it('is found again when its path was relative and the host has gone elsewhere', async () => {
    const elsewhere = makeFolder('elsewhere')
    const told = await host().evaluate(async ({ procleash }, folder) => {
      const home = process.cwd()
      const command = await procleash.spawn('echo', ['here'], { log: 'relative.log' })
      await command.settled
      process.chdir(folder)
      const { text, path } = await procleash.tail(command)
      process.chdir(home)
      return { text, path, home }
    }, elsewhere)
    expect(told.text).toBe('here\n')
    expect(told.path).toBe(join(told.home, 'relative.log'))
  })

  it('loses nothing of a flood, and costs the host no memory', async () => {
    const log = join(host().dir, 'flood.log')
    const growth = await host().evaluate(
      async ({ procleash }, path) => {
        const before = process.memoryUsage().rss
        const command = await procleash.spawn('head', ['-c', '100000000', '/dev/zero'], { log: path })
        await command.settled
        return process.memoryUsage().rss - before
      },
      log,
      60_000,
    )
    expect(statSync(log).size).toBe(100_000_000)
    expect(growth).toBeLessThan(50_000_000)
  })

  it('tail() reads the end, while the command runs and after it, of a command or a path', async () => {
    const log = join(host().dir, 'tail.log')
    const told = await host().evaluate(async ({ procleash }, path) => {
      const command = await procleash.spawn('sh', ['-c', 'echo one; read x; echo two'], {
        log: path,
        stdin: 'pipe',
      })
      const reads: object[] = []
      let seen = ''
      while (seen === '') {
        seen = (await procleash.tail(command)).text
      }
      reads.push(await procleash.tail(command))
      const writer = command.stdin!.getWriter()
      await writer.write(new TextEncoder().encode('go\n'))
      await command.settled
      reads.push(await procleash.tail(command, { bytes: 4 }), await procleash.tail(path, { bytes: 0 }))
      return reads
    }, log)
    expect(told).toEqual([
      { path: log, text: 'one\n', truncated: false, size: 4 },
      { path: log, text: 'two\n', truncated: true, size: 8 },
      { path: log, text: '', truncated: true, size: 8 },
    ])
  })

  it('tail() cuts between characters, and never in the middle of one', async () => {
    const log = join(host().dir, 'cut.log')
    // Ends in the middle of a character, as while it is being written.
    writeFileSync(log, Buffer.concat([Buffer.from('aä€😀z'), Buffer.from('😀').subarray(0, 2)]))
    const texts = await host().evaluate(async ({ procleash }, path) => {
      const read: string[] = []
      for (let bytes = 0; bytes <= 13; bytes += 1) read.push((await procleash.tail(path, { bytes })).text)
      return read
    }, log)
    expect(texts).toEqual([
      '',
      '',
      '',
      'z',
      'z',
      'z',
      'z',
      '😀z',
      '😀z',
      '😀z',
      '€😀z',
      '€😀z',
      'ä€😀z',
      'aä€😀z',
    ])
    expect(texts.join('')).not.toContain('\uFFFD')
  })

  it('refuses a log that it can not use, with a typed error each, and starts nothing', async () => {
    const dir = join(host().dir, 'refused')
    mkdirSync(dir)
    writeFileSync(join(dir, 'target'), 'mine')
    symlinkSync(join(dir, 'target'), join(dir, 'planted'))
    symlinkSync(join(dir, 'missing'), join(dir, 'dangling'))
    const told = await host().evaluate(async ({ procleash }, folder) => {
      const owner = procleash.createOwner('refused logs')
      const spawn = (log: unknown, more: object = {}) =>
        owner.spawn('touch', [`${folder}/started`], { log: log as string, ...more })
      const messages: string[] = []
      const tell = async (call: () => Promise<unknown>) => {
        messages.push(await call().then(String, (error: Error) => error.message))
        return extras.codeOf(call)
      }
      const codes = {
        folder: await tell(() => spawn(folder)),
        symlink: await tell(() => spawn(`${folder}/planted`)),
        dangling: await tell(() => spawn(`${folder}/dangling`)),
        noFolder: await tell(() => spawn(`${folder}/no/such/log`)),
        empty: await tell(() => spawn('')),
        number: await tell(() => spawn(7)),
        nul: await tell(() => spawn('a\0b')),
        withStdout: await tell(() => spawn(`${folder}/log`, { stdout: 'pipe' })),
        withStderr: await tell(() => spawn(`${folder}/log`, { stderr: 'ignore' })),
      }
      const left = (await owner.list()).length
      await owner.release()
      return { codes, messages, left }
    }, dir)
    expect(told.codes).toEqual({
      folder: 'SpawnError EISDIR',
      symlink: 'SpawnError ELOOP',
      dangling: 'SpawnError ELOOP',
      noFolder: 'SpawnError ENOENT',
      empty: 'InvalidOptionError ERR_INVALID_ARG_VALUE',
      number: 'InvalidOptionError ERR_INVALID_ARG_TYPE',
      nul: 'InvalidOptionError ERR_INVALID_ARG_VALUE',
      withStdout: 'InvalidOptionError ERR_INVALID_ARG_VALUE',
      withStderr: 'InvalidOptionError ERR_INVALID_ARG_VALUE',
    })
    expect(told.messages[1]).toContain(join(dir, 'planted'))
    expect(told.messages[1]).toContain('symbolic link')
    expect(told.left).toBe(0)
    expect(existsSync(join(dir, 'started'))).toBe(false)
    expect(existsSync(join(dir, 'missing'))).toBe(false)
    expect(readFileSync(join(dir, 'target'), 'utf8')).toBe('mine')
  })

  itNeeds(
    ['root', 'setpriv'],
    'refuses a log that is not writable, and tail() one that is not readable',
    async () => {
      const dir = makeFolder('unwritable')
      writeFileSync(join(dir, 'log'), 'theirs', { mode: 0o600 })
      chmodSync(dir, 0o755)
      const other = await startOwnerHost(runtime, { user: 65534 })
      const codes = await other.evaluate(async ({ procleash }, folder) => {
        return [
          await extras.codeOf(() => procleash.spawn('true', [], { log: `${folder}/log` })),
          await extras.codeOf(() => procleash.spawn('true', [], { log: `${folder}/new` })),
          await extras.codeOf(() => procleash.tail(`${folder}/log`)),
        ]
      }, dir)
      expect(codes).toEqual(['SpawnError EACCES', 'SpawnError EACCES', 'LogError EACCES'])
      expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('theirs')
    },
  )

  it('a full disk is the business of the command: it sees ENOSPC, the tree stays owned', async () => {
    // /dev/full opens, and refuses every byte, as a disk does that fills up during the command.
    const told = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('full disk')
      const script = 'echo lost; echo "status $?" >"$0"; exec sleep 60'
      const command = await owner.spawn('bash', ['-c', script, 'full-disk.txt'], { log: '/dev/full' })
      const { readFileSync } = process.getBuiltinModule('node:fs')
      let status = ''
      while (!status.includes('\n')) {
        await extras.delay(10)
        try {
          status = readFileSync('full-disk.txt', 'utf8')
        } catch {
          // Not yet.
        }
      }
      const tail = await extras.codeOf(() => procleash.tail(command))
      const listed = (await owner.list()).map(({ state }) => state)
      const release = await owner.release()
      return { status, tail, listed, outcome: release.outcome }
    }, null)
    expect(told).toEqual({
      status: 'status 1\n',
      tail: 'LogError EINVAL',
      listed: ['running'],
      outcome: 'empty',
    })
  })

  it('tail() refuses what is no log, with a typed error each', async () => {
    const dir = join(host().dir, 'no-logs')
    mkdirSync(dir)
    appendFileSync(join(dir, 'target'), 'text')
    symlinkSync(join(dir, 'target'), join(dir, 'link'))
    const codes = await host().evaluate(async ({ procleash, childProcess }, folder) => {
      childProcess.execFileSync('mkfifo', [`${folder}/fifo`])
      const command = await procleash.spawn('true')
      await command.settled
      const told = {
        none: await extras.codeOf(() => procleash.tail(command)),
        missing: await extras.codeOf(() => procleash.tail(`${folder}/missing`)),
        link: await extras.codeOf(() => procleash.tail(`${folder}/link`)),
        folder: await extras.codeOf(() => procleash.tail(folder)),
        fifo: await extras.codeOf(() => procleash.tail(`${folder}/fifo`)),
        logToFifo: await extras.codeOf(() => procleash.spawn('true', [], { log: `${folder}/fifo` })),
        bytes: await extras.codeOf(() => procleash.tail(`${folder}/target`, { bytes: -1 })),
        number: await extras.codeOf(() => procleash.tail(7 as unknown as string)),
        object: await extras.codeOf(() => procleash.tail({} as unknown as string)),
        empty: await extras.codeOf(() => procleash.tail('')),
      }
      return told
    }, dir)
    expect(codes).toEqual({
      none: 'LogError ERR_PROCLEASH_NO_LOG',
      missing: 'LogError ENOENT',
      link: 'LogError ELOOP',
      folder: 'LogError EINVAL',
      fifo: 'LogError EINVAL',
      logToFifo: 'SpawnError ENXIO',
      bytes: 'InvalidOptionError ERR_OUT_OF_RANGE',
      number: 'InvalidOptionError ERR_INVALID_ARG_TYPE',
      object: 'InvalidOptionError ERR_INVALID_ARG_TYPE',
      empty: 'InvalidOptionError ERR_INVALID_ARG_VALUE',
    })
  })
})
