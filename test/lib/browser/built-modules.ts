import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import type { TestContext } from 'node:test'
import { build, type Rolldown } from 'vite'
import { harfbuzzWithoutWebAssembly } from '../../../web/harfbuzz-plugin.ts'

/** The policy of all pages of the service. It forbids WebAssembly. */
const POLICY = "default-src 'self'"

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.png': 'image/png' }

/** Files that the server has, by path. */
export type ServedFiles = ReadonlyMap<string, Uint8Array | string>

/**
 * Builds modules as the applications are built, each as `/NAME.js`, with HarfBuzz translated into a script.
 *
 * @param entries the source files by name
 * @returns the files of the build by path
 */
export async function buildModules(entries: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  const output = (await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [harfbuzzWithoutWebAssembly()],
    build: {
      write: false,
      target: 'es2024',
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: { ...entries },
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
        preserveEntrySignatures: 'strict',
      },
    },
  })) as Rolldown.RolldownOutput
  return new Map(output.output.flatMap((file) => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code]] : [])))
}

/**
 * Serves files and an empty page at `/` under the policy of the pages. Returns the URL of the server, which stops when
 * the test ends.
 */
export async function serveUnderPolicy(t: TestContext, files: ServedFiles): Promise<string> {
  const server = createServer((request, response) => respond(files, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function respond(files: ServedFiles, { url }: IncomingMessage, response: ServerResponse): void {
  const path = decodeURIComponent(new URL(url ?? '/', 'http://localhost').pathname)
  const file = path === '/' ? '<!doctype html><title>Test</title><link rel="icon" href="/icon">' : files.get(path)
  const type = path === '/' ? 'text/html' : (TYPES[extname(path)] ?? 'application/octet-stream')
  response.writeHead(file === undefined ? 404 : 200, { 'content-type': type, 'content-security-policy': POLICY })
  response.end(file)
}
