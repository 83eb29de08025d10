import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface CuttingProxy {
  /** The origin of the service through the proxy. */
  origin: string
  /** Closes all connections, and from then on each new one. */
  cut(): void
  /** Allows connections again. */
  letConnect(): void
  /** Runs a function once, before a request that contains the text is passed on. */
  before(text: string, run: () => Promise<void>): void
}

/** Starts a proxy between a client and a service, whose connections the test can interrupt. */
export async function startCuttingProxy(t: TestContext, serviceOrigin: string): Promise<CuttingProxy> {
  const clients = new Set<Socket>()
  let isCut = false
  let waiting: { text: string; run: () => Promise<void> } | undefined
  const { hostname, port } = new URL(serviceOrigin)
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (isCut) return void client.destroy()
    clients.add(client)
    const upstream = connect({ host: hostname, port: Number(port) })
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => {
      clients.delete(client)
      upstream.destroy()
    })
    upstream.pipe(client)
    client.on('data', async (chunk) => {
      if (waiting !== undefined && chunk.toString('latin1').includes(waiting.text)) {
        const { run } = waiting
        waiting = undefined
        client.pause()
        await run()
        client.resume()
      }
      upstream.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const cut = (): void => {
    isCut = true
    for (const client of clients) client.destroy()
  }
  t.after(() => {
    cut()
    server.close()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    letConnect: () => {
      isCut = false
    },
    before: (text, run) => {
      waiting = { text, run }
    },
  }
}
