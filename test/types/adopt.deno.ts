// adopt() with a Deno.ChildProcess.

import { adopt } from 'procleash'

export async function adopted(): Promise<void> {
  await adopt(new Deno.Command('true').spawn(), { kind: 'bash' })
}
