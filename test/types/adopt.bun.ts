// adopt() with what Bun.spawn() gives.

import { adopt } from 'procleash'

export async function adopted(): Promise<void> {
  await adopt(Bun.spawn(['true']), { kind: 'bash' })
  await adopt(Bun.spawn(['true'], { stdio: ['ignore', 'pipe', 'inherit'] }))
}
