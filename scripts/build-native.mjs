// Builds the native part for this machine into build/Release.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeGyp } from './node-gyp.mjs'
import { isInstalled } from './programs.mjs'
import { unshadowNode } from './user-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

unshadowNode()

const needed = ['python3', 'make', (process.env.CXX || 'g++').split(' ')[0] ?? 'g++']
const absent = needed.filter((tool) => !isInstalled(tool))
if (absent.length > 0) {
  fail(
    `building the native part needs ${absent.join(', ')}, which ${absent.length === 1 ? 'is' : 'are'} not installed.\n` +
      'Debian, Ubuntu:  apt-get install g++ make python3\n' +
      'Fedora:          dnf install gcc-c++ make python3\n' +
      'Alpine:          apk add g++ make python3 linux-headers',
  )
}
if (!existsSync(join(root, 'binding.gyp'))) fail('there is no binding.gyp, nothing can be built.')

const started = performance.now()
try {
  nodeGyp(root)
} catch (error) {
  fail(`the native build failed. ${error instanceof Error ? error.message : error}`)
}
console.log(`native build done in ${((performance.now() - started) / 1000).toFixed(1)} s`)

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`procleash: ${message}`)
  process.exit(1)
}
