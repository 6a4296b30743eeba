// Keeps the user's own Node in front. Three devDependencies (node20, node22, node24) each declare a
// bin named `node`, and npm links the first of them into node_modules/.bin, which npm and npx put at
// the head of PATH: every script would silently run in node20 instead of the Node that is under test.

import { readlinkSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const link = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

/** The Node that runs npm, whatever PATH says; without npm, the Node that runs this script. */
export function userNode() {
  return process.env.npm_node_execpath ?? process.execPath
}

/** Removes node_modules/.bin/node if it is one of our aliases. `npm ci` brings it back; doing it again is free. */
export function unshadowNode() {
  try {
    if (/(^|\/)node2\d\/bin\/node$/.test(readlinkSync(link))) rmSync(link, { force: true })
  } catch {
    // No link, nothing shadowed.
  }
}
