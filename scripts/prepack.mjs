// Before `npm pack` and `npm publish`: everything in the package that git doesn't have. The tarball has a limit, so the
// JavaScript goes without source maps, whose sources are not in it, without comments, which the declarations have, and
// without indentation, the declarations without what is marked @internal, and the native sources without comments.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { unshadowNode, userNode } from './user-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const project = ['-p', join(root, 'tsconfig.build.json'), '--declarationMap', 'false']
const noMaps = ['--sourceMap', 'false', '--inlineSources', 'false']

unshadowNode()
// What was compiled from a source that is gone must not be in it.
rmSync(join(root, 'dist'), { recursive: true, force: true })
run(tsc, ...project, ...noMaps, '--removeComments', '--declaration', 'false')
run(tsc, ...project, ...noMaps, '--emitDeclarationOnly', '--stripInternal')
pruneDeclarations()
trimJavaScript()
trimNative()
run(join(root, 'scripts/prebuilds.mjs'))

/** Declarations that no public one refers to are for nobody. */
function pruneDeclarations() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  /** @type {string[]} */
  const queue = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(root, types)],
  )
  const wanted = new Set(queue)
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)) {
      const other = join(dirname(file), (path ?? '').replace(/js$/, 'ts').replace(/\.(c?ts)$/, '.d.$1'))
      if (!wanted.has(other)) queue.push(other)
      wanted.add(other)
    }
  }
  for (const name of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const file = join(root, 'dist', name)
    if (/\.d\.c?ts$/.test(name) && !wanted.has(file)) rmSync(file)
  }
}

/** The sources to build from, without the lines that are comments. */
function trimNative() {
  for (const name of readdirSync(join(root, 'native'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(cc|h|S)$/.test(name)) continue
    const file = join(root, 'dist/native', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, readFileSync(join(root, 'native', name), 'utf8').replace(/^\s*\/\/.*\n/gm, ''))
  }
}

/** Names stay, for the sake of stack traces. */
function trimJavaScript() {
  for (const name of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue
    const file = join(root, 'dist', name)
    const { code } = transformSync(readFileSync(file, 'utf8'), {
      minifyWhitespace: true,
      minifySyntax: true,
      format: 'esm',
      target: 'node20',
    })
    writeFileSync(file, code)
  }
}

/** @param {string[]} args */
function run(...args) {
  // npm pack --json has standard output for itself.
  const { status } = spawnSync(userNode(), args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
