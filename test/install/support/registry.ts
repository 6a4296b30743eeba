// A package registry on this machine that has one package, ours: so each package manager installs it the way a user's
// does. It is told which npm registry to use; nothing else can be fetched from here.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from './places.js'

export interface Registry {
  readonly url: string
  close(): Promise<void>
}

/** One without the package where no tarball is given. */
export async function serveRegistry(tarball?: string): Promise<Registry> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const bytes = tarball === undefined ? undefined : readFileSync(tarball)
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const path = `/procleash/-/procleash-${manifest.version}.tgz`
    if (bytes === undefined) {
      response.statusCode = 404
      response.end('{}')
    } else if (request.url === path) {
      response.end(bytes)
    } else if (request.url === '/procleash') {
      const dist = {
        tarball: `http://127.0.0.1:${port}${path}`,
        shasum: createHash('sha1').update(bytes).digest('hex'),
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(packument(manifest, dist)))
    } else {
      response.statusCode = 404
      response.end('{}')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** As npm's registry gives it: without what only the developers of the package need. */
function packument(manifest: { name: string; version: string; [key: string]: unknown }, dist: object) {
  const { devDependencies: _, ...published } = manifest
  return {
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...published, dist } },
    time: { [manifest.version]: '2026-01-01T00:00:00.000Z' },
  }
}
