// Before `npm pack` and `npm publish`: everything in the package that git doesn't have. The tarball has a limit, so the
// JavaScript goes without source maps, whose sources are not in it, and without comments, which the declarations have.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unshadowNode, userNode } from './user-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const project = ['-p', join(root, 'tsconfig.build.json'), '--declarationMap', 'false']
const noMaps = ['--sourceMap', 'false', '--inlineSources', 'false']

unshadowNode()
// What was compiled from a source that is gone must not be in it.
rmSync(join(root, 'dist'), { recursive: true, force: true })
run(tsc, ...project, ...noMaps, '--removeComments', '--declaration', 'false')
run(tsc, ...project, ...noMaps, '--emitDeclarationOnly')
run(join(root, 'scripts/prebuilds.mjs'))

/** @param {string[]} args */
function run(...args) {
  // npm pack --json has standard output for itself.
  const { status } = spawnSync(userNode(), args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
