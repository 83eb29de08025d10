import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface SeenRequest {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingMessage['headers']
}

/**
 * `pass` forwards a request. `lose` forwards it and closes the connection in place of a response. `refuse` closes the
 * connection at once. A status is the response, and the service gets no request.
 */
export type Fault = 'pass' | 'lose' | 'refuse' | { status: number; headers?: Record<string, string>; body?: object }

export interface FaultProxy {
  url: string
  seen: SeenRequest[]
  /** The requests to a path, in their order. */
  to(path: string): SeenRequest[]
  /** The number of requests whose connections are open. */
  open(): number
  /** Cuts all open connections. */
  cut(): void
}

/**
 * Starts a proxy that forwards requests to a service, apart from those that `decide` lets fail. A function returns the
 * origin of a service that starts after the proxy.
 */
export async function startFaultProxy(
  t: TestContext,
  origin: string | (() => string),
  decide: (request: SeenRequest, count: number) => Fault | Promise<Fault> = () => 'pass',
): Promise<FaultProxy> {
  const seen: SeenRequest[] = []
  const to = (path: string) => seen.filter((one) => one.path.split('?')[0] === path)
  let open = 0
  const server = createServer(async (request, response) => {
    open += 1
    response.on('close', () => {
      open -= 1
    })
    const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers }
    seen.push(one)
    const fault = await decide(one, to(one.path.split('?')[0] ?? '').length)
    if (fault === 'refuse') {
      request.socket.destroy()
      return
    }
    if (typeof fault === 'object') {
      const headers = { 'content-type': 'application/problem+json', ...fault.headers }
      response.writeHead(fault.status, headers).end(JSON.stringify(fault.body ?? { code: 'rate_limited' }))
      return
    }
    const { method, path, headers } = one
    const passed = forward(
      `${typeof origin === 'string' ? origin : origin()}${path}`,
      { method, headers },
      (answer) => {
        if (fault === 'lose') {
          answer.resume()
          answer.on('end', () => request.socket.destroy())
          return
        }
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      },
    )
    response.on('close', () => passed.destroy())
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, seen, to, open: () => open, cut: () => server.closeAllConnections() }
}
