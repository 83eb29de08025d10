import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from '../../fakes/certificate.ts'
import { startService, type TestService } from '../../harness.ts'

/**
 * Starts a service with the origin that the browser uses. The host is `localhost`, where browsers allow passkeys
 * without TLS.
 */
export function startOnLocalhost(t: TestContext, env: Record<string, string> = {}): Promise<TestService> {
  return startBehindDoor(t, 'http://localhost', env)
}

/** Starts a service whose origin begins with `https`. */
export function startOverTls(
  t: TestContext,
  { host, tls, env }: { host: string; tls: Certificate; env: Record<string, string> },
): Promise<TestService> {
  return startBehindDoor(t, `https://${host}`, env, tls)
}

async function startBehindDoor(t: TestContext, url: string, env: Record<string, string>, tls?: Certificate) {
  let target = 0
  const pass = (socket: Socket): void => {
    const inner = connect(target, '127.0.0.1')
    socket.on('error', () => inner.destroy()).pipe(inner)
    inner.on('error', () => socket.destroy()).pipe(socket)
  }
  const door = tls === undefined ? createServer(pass) : createTlsServer(tls, pass)
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  t.after(() => door.close())
  const { port } = door.address() as AddressInfo
  const service = await startService(t, { env: { ...env, PLATEN_PUBLIC_URL: `${url}:${port}` } })
  target = Number(new URL(service.origin).port)
  return service
}
