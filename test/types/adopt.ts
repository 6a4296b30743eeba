// adopt() as a user's compiler sees it, with what node:child_process gives.

import { spawn } from 'node:child_process'
import { type AdoptOptions, adopt, createOwner, type Subprocess } from 'procleash'

export async function adopted(): Promise<void> {
  const options: AdoptOptions = { owner: createOwner('o'), kind: 'bash', label: 'x', budget: 0 }
  const command: Subprocess = await adopt(spawn('true'), options)
  await command.stop()
  await adopt(spawn('true', { stdio: 'ignore' }), { leftovers: 'keep', stopSignal: 'SIGINT' })
  // @ts-expect-error: a pid is no child
  await adopt(1)
  // @ts-expect-error: the child has its own streams
  await adopt(spawn('true'), { stdout: 'pipe' })
  // @ts-expect-error: what spawn() of procleash gave has a keeper already
  await adopt(command)
}
