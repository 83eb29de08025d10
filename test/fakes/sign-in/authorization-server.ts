import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** The ways in which an endpoint of a provider can fail. */
export type Fault =
  | 'down'
  | 'reset'
  | 'silent'
  | 'html'
  | 'list'
  | 'huge'
  | 'not_utf8'
  | 'redirect'
  | 'error'
  | 'refusal'

export interface FakeServer {
  /** Scheme, host and port of the server. */
  url: string
  /** The faults of endpoints, by path. */
  faults: Map<string, Fault>
  /** The method and path of every request, in order. */
  requests: string[]
}

export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>

/**
 * Starts a server on the loopback interface with a handler per path and configurable faults. The server stops when the
 * test ends.
 */
export async function startFakeServer(t: TestContext, handlers: (self: FakeServer) => Record<string, Handler>) {
  const self: FakeServer = { url: '', faults: new Map(), requests: [] }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', self.url)
    self.requests.push(`${request.method} ${url.pathname}`)
    const fault = self.faults.get(url.pathname)
    if (fault !== undefined) return fail(fault, response, self.url)
    const handler = byPath[url.pathname]
    if (handler === undefined) return void response.writeHead(404).end()
    handler(request, response, url).catch((error) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const byPath = handlers(self)
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return self
}

function fail(fault: Fault, response: ServerResponse, ownUrl: string): void {
  if (fault === 'silent') return
  if (fault === 'reset') return void response.destroy()
  if (fault === 'down') return void response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
  if (fault === 'redirect') return void response.writeHead(302, { location: `${ownUrl}/internal` }).end()
  const type = fault === 'html' ? 'text/html' : 'application/json'
  response.writeHead(fault === 'refusal' ? 400 : 200, { 'content-type': type })
  if (fault === 'html') response.end('<p>Down for maintenance</p>')
  if (fault === 'list') response.end('[]')
  if (fault === 'error' || fault === 'refusal') {
    response.end('{"error":"bad_verification_code","error_description":"<script>"}')
  }
  // Apart from the fault, these bodies are valid profiles.
  if (fault === 'huge') response.end(JSON.stringify({ id: 7, login: 'a'.repeat(1024 * 1024) }))
  if (fault === 'not_utf8') response.end(Buffer.from('{"id":7,"login":"\xff"}', 'latin1'))
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

/** The consent of a user that the authorization endpoint has recorded. */
export interface Grant {
  /** The query parameters of the authorization request. */
  asked: URLSearchParams
}

/**
 * Implements the part that all authorization servers share: authorization codes. A code is valid once, for its redirect
 * URI and its PKCE challenge (RFC 6749, 4.1; RFC 7636).
 */
export function createGrants(client: { id: string; secret: string }) {
  const grants = new Map<string, Grant>()
  return {
    /** Records a consent without asking a user, and redirects the browser back with a code. */
    authorize: (url: URL, response: ServerResponse, extra: Record<string, string> = {}): void => {
      const asked = url.searchParams
      const code = randomBytes(16).toString('hex')
      grants.set(code, { asked })
      const back = new URL(asked.get('redirect_uri') ?? '')
      for (const [name, value] of Object.entries({ code, state: asked.get('state') ?? '', ...extra })) {
        back.searchParams.set(name, value)
      }
      response.writeHead(302, { location: back.href }).end()
    },
    /** Exchanges a code for its grant. Returns undefined if the request has any fault. */
    redeem: async (request: IncomingMessage): Promise<Grant | undefined> => {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      const code = form.get('code') ?? ''
      const grant = grants.get(code)
      grants.delete(code)
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const isRight =
        form.get('client_id') === client.id &&
        form.get('client_secret') === client.secret &&
        form.get('redirect_uri') === grant?.asked.get('redirect_uri') &&
        grant?.asked.get('code_challenge') === challenge &&
        grant.asked.get('code_challenge_method') === 'S256'
      return isRight ? grant : undefined
    },
  }
}
