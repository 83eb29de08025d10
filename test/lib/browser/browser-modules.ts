import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join, relative, sep } from 'node:path'
import type { TestContext } from 'node:test'

const ROOT = join(import.meta.dirname, '../../..')

/** The packages that browser code may import, with their entry files for browsers. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@cto.af/linebreak': 'lib/index.js',
  '@cto.af/unicode-trie': 'index.js',
  'bidi-js': 'dist/bidi.mjs',
  fflate: 'esm/browser.js',
  harfbuzzjs: 'dist/index.mjs',
  typebox: 'build/index.mjs',
  uqr: 'dist/index.mjs',
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.ts': 'text/javascript',
  '.wasm': 'application/wasm',
}

/**
 * Serves the sources of the project (without types) and `PACKAGES` as modules to a browser. The page at `/` has an
 * import map. The paths in `files` return the bytes of these files. Returns the URL of the server, which stops when the
 * test ends.
 */
export async function serveModules(t: TestContext, files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports: importMap() })}</script>`
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const file = files.get(path)
    const answer = (status: number, type: string, body: string | Uint8Array) =>
      response.writeHead(status, { 'content-type': type }).end(body)
    if (path === '/') answer(200, 'text/html', page)
    else if (file !== undefined) answer(200, 'application/octet-stream', file)
    else {
      readModule(path).then(
        (body) => answer(200, TYPES[extname(path)] ?? 'application/octet-stream', body),
        () => answer(404, 'text/plain', ''),
      )
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function importMap(): Record<string, string> {
  const require = createRequire(join(ROOT, 'package.json'))
  return Object.fromEntries(
    Object.entries(PACKAGES).map(([name, file]) => {
      const folder = require.resolve.paths(name)?.find((path) => path.startsWith(ROOT)) ?? ''
      return [
        name,
        `/${relative(ROOT, join(folder, name, file))
          .split(sep)
          .join('/')}`,
      ]
    }),
  )
}

async function readModule(path: string): Promise<string | Uint8Array> {
  const isServed = path.startsWith('/src/drawing/') || path.startsWith('/node_modules/')
  if (!isServed || path.includes('..')) throw new Error(`${path} is not for browsers`)
  const bytes = await readFile(join(ROOT, path))
  return extname(path) === '.ts' ? stripTypeScriptTypes(bytes.toString('utf8')) : bytes
}
