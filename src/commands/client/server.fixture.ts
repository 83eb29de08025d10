import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Response = [status: number, headers: Record<string, string>, body: string]

const EMPTY_OBJECT: Response = [200, { 'content-type': 'application/json' }, '{}']

/** Starts an HTTP server that is not a Platen service. Returns its origin. */
export function startServer(t: TestContext, listener: RequestListener): Promise<string> {
  return listenOn(t, createServer(listener))
}

/** Lets a server listen until the end of the test. Returns its origin. */
export async function listenOn(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return server instanceof HttpsServer ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
}

/** Starts an HTTP server that records requests. */
export async function startRecorder(t: TestContext, respond?: (request: IncomingMessage) => Response) {
  const received: IncomingMessage[] = []
  const origin = await startServer(t, (request, response) => {
    received.push(request)
    const [status, headers, body] = respond?.(request) ?? EMPTY_OBJECT
    response.writeHead(status, headers).end(body)
  })
  return { received, origin }
}
