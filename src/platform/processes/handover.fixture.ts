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
  supervisor.begin(undefined)
  await supervisor.untilServing()
} else {
  const main = createChannel({ send: (message) => process.send?.(message), log })
  process.on('message', main.receive)
  await main.call(BEGIN)
  const server = createServer((socket) => socket.end(String(process.pid))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  main.tell(SERVING, (server.address() as AddressInfo).port)
}
