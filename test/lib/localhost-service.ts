import { type AddressInfo, connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { startService, type TestService } from '../harness.ts'

/**
 * Starts a service with the origin that the browser uses. The host is `localhost`, where browsers allow passkeys
 * without TLS.
 */
export async function startOnLocalhost(t: TestContext, env: Record<string, string> = {}): Promise<TestService> {
  let target = 0
  const door = createServer((socket) => {
    const inner = connect(target, '127.0.0.1')
    socket.on('error', () => inner.destroy()).pipe(inner)
    inner.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  t.after(() => door.close())
  const { port } = door.address() as AddressInfo
  const service = await startService(t, { env: { ...env, PLATEN_PUBLIC_URL: `http://localhost:${port}` } })
  target = Number(new URL(service.origin).port)
  return service
}
