// A host with workers: `workers.mjs <tree> <tree> <tree>`, each as JSON. The main thread starts the first, a worker
// each of the others. Then, by lines of input: `terminate` it, or let it `close`, `exit` or `throw`: the first worker
// ends. `again` runs a command in the main thread, `leave`, and the end of its input, end it by its empty loop while the
// workers run.

import process from 'node:process'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { run, spawn } from '../../dist/src/index.js'
import { onLines, say } from './lines.mjs'

async function start(thread, { file, args, env, budget }) {
  const command = await spawn(file, args, {
    env: { ...process.env, ...env },
    budget,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  say(`started-${thread}`, { pid: command.pid })
  return command
}

async function main() {
  const [own, ...others] = process.argv.slice(2).map((text) => JSON.parse(text))
  const workers = others.map((tree, index) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { tree, name: `worker-${index}` } })
    worker.on('error', (error) => say('worker-error', { message: String(error?.message) }))
    worker.on('exit', () => say(`gone-worker-${index}`))
    return worker
  })
  const command = await start('main', own)
  const operations = {
    terminate: () => workers[0].terminate(),
    close: () => workers[0].postMessage('close'),
    exit: () => workers[0].postMessage('exit'),
    throw: () => workers[0].postMessage('throw'),
    async again() {
      const { code } = await run('sh', ['-c', 'exit 5'])
      say('again', { code })
    },
    leave() {
      command.unref()
      for (const worker of workers) worker.unref()
      process.stdin.removeAllListeners('end')
      say('leaving')
    },
  }
  onLines((line) => void operations[line]())
}

async function work() {
  const started = start(workerData.name, workerData.tree)
  parentPort.on('message', (how) => {
    if (how === 'exit') process.exit(0)
    if (how === 'throw') throw new Error('thrown in the worker')
    void started.then((command) => command.unref())
    parentPort.close()
  })
  await started
}

if (isMainThread) await main()
else await work()
