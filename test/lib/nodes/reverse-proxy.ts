import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'
import { freePort } from '../../../scripts/lib/service-process.ts'
import { temporaryDir } from '../../harness.ts'
import { until } from '../until.ts'
import { isListening } from './is-listening.ts'

const SAMPLE = join(import.meta.dirname, '../../../deploy/nginx/platen.conf')

export const hasNginx = isInstalled()

/**
 * Starts a reverse proxy that sends consecutive requests to different nodes: nginx with the sample in `deploy`, or, if
 * it is not installed, a program of the test.
 *
 * @param origins URLs of the nodes
 * @returns the URL of the proxy
 */
export function startReverseProxy(t: TestContext, origins: readonly string[]): Promise<string> {
  return hasNginx ? startNginx(t, origins) : startRotation(t, origins)
}

function isInstalled(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function startNginx(t: TestContext, origins: readonly string[]): Promise<string> {
  const folder = await temporaryDir(t)
  const port = await freePort()
  const path = join(folder, 'nginx.conf')
  await mkdir(join(folder, 'temp'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${folder}/temp/${kind};`,
  )
  await writeFile(
    path,
    `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
${temporary.join('\n')}
${sampleFor(port, origins)}
}
`,
  )
  const child = spawn('nginx', ['-e', 'stderr', '-c', path], { stdio: 'ignore' })
  t.after(() => child.kill('SIGTERM'))
  await until('nginx to listen', () => isListening(port))
  return `http://127.0.0.1:${port}`
}

/** The server for HTTPS of the sample, without its certificate, for these nodes. */
function sampleFor(port: number, origins: readonly string[]): string {
  const sample = readFileSync(SAMPLE, 'utf8')
  const upstream = origins.map((origin) => `  server ${new URL(origin).host};`).join('\n')
  const [before = '', , secured = ''] = sample.split(/^server \{$/m)
  const withoutTls = secured.replace(/^ {2}(?:listen|ssl_\w+) .*\n/gm, '')
  return `${before.replace(/^ {2}server .*;$/m, upstream)}server {\n  listen 127.0.0.1:${port};${withoutTls}`
}

async function startRotation(t: TestContext, origins: readonly string[]): Promise<string> {
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const origin = origins[turn % origins.length] ?? ''
    turn += 1
    passOn(origin, incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function passOn(origin: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method, url, headers } = incoming
  const forwarded = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' }
  const passed = request(`${origin}${url}`, { method, headers: { ...headers, ...forwarded } })
  outgoing.on('close', () => passed.destroy())
  const [answer] = await Promise.all([
    once(passed, 'response') as Promise<[IncomingMessage]>,
    pipeline(incoming, passed),
  ]).then(([[response]]) => [response])
  if (answer === undefined) return
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
  await pipeline(answer, outgoing)
}
