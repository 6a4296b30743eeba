// Rewrites what `npm run check` would complain about, as far as a tool can.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureTool, nativeFiles, root } from './clang.mjs'
import { unshadowNode } from './user-node.mjs'

unshadowNode()
const biome = run(process.execPath, [
  join(root, 'node_modules/@biomejs/biome/bin/biome'),
  'check',
  '--write',
  '.',
])
const files = nativeFiles('all')
let clang = 0
if (files.length > 0) {
  ensureTool('clang-format')
  clang = run('clang-format', ['-i', ...files])
}
process.exitCode = biome === 0 && clang === 0 ? 0 : 1

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}
