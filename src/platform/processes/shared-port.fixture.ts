// Supervises two processes that run this file, too. Each answers every connection with its process id.

import cluster from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createLog } from '../telemetry/log.ts'
import { createChannel } from './channel.ts'
import { BEGIN, SERVING, startSupervisor } from './supervisor.ts'

const log = createLog({ level: 'silent' })

if (cluster.isPrimary) {
  const supervisor = startSupervisor({
    count: 2,
    module: fileURLToPath(import.meta.url),
    env: {},
    log,
    connect: () => () => undefined,
    onServing: (port) => process.stdout.write(`${port}\n`),
  })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  supervisor.begin(port)
  await supervisor.untilServing()
} else {
  const main = createChannel({ send: (message) => process.send?.(message), log })
  process.on('message', main.receive)
  const port = await main.call<number>(BEGIN)
  const server = createServer((socket) => socket.end(String(process.pid)))
  server.listen({ host: '127.0.0.1', port, reusePort: true })
  await once(server, 'listening')
  main.tell(SERVING, port)
}
