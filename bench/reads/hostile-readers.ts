// Opens connections, requests large responses, and reads no response. Runs in its own process. After each wave of
// connections, prints the number of open connections.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

interface Plan {
  port: number
  tokens: string[]
  /** The paths that each account requests. Each path has a connection of its own. */
  paths: string[]
  /** How many requests are sent on a connection without waiting for a response. */
  pipelined: number
  waves: number
  waveMs: number
  /** How many bytes of a request body are sent. The declared length is twice as large. */
  bodyBytes: number
}

const plan = JSON.parse(await text(process.stdin)) as Plan
const sockets = new Set<Socket>()

async function open(head: string): Promise<void> {
  const socket = connect(plan.port, '127.0.0.1')
  sockets.add(socket)
  socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  socket.pause()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  socket.write(head)
}

for (let wave = 0; wave < plan.waves; wave += 1) {
  for (const token of plan.tokens) {
    const headers = `Host: a\r\nAuthorization: Bearer ${token}\r\n`
    for (const path of plan.paths) await open(`GET ${path} HTTP/1.1\r\n${headers}\r\n`.repeat(plan.pipelined))
    const type = `Content-Type: application/json\r\nContent-Length: ${2 * plan.bodyBytes}\r\n`
    await open(`POST /v1/designs HTTP/1.1\r\n${headers}${type}\r\n{"name":"${'x'.repeat(plan.bodyBytes)}`)
  }
  process.stdout.write(`${sockets.size}\n`)
  await delay(plan.waveMs)
}
process.exit()
