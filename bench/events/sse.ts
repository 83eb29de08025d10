import { type ClientRequest, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../../scripts/lib/client.ts'
import { startServiceProcess } from '../../scripts/lib/service-process.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { emit } from '../../src/platform/outbox/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { newId } from '../../test/ids.ts'
import { quantile } from '../lib/load.ts'
import { processorMs, residentMegabytes } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const CLIENTS = 1_000
const EVENTS = 100
const IDLE_MS = 10_000
/** How many clients connect at the same time. */
const LANES = 32

/** The data of an event, about as large as those of an order with two items. */
const DATA = { filler: 'x'.repeat(2_000) }

/**
 * Measures a thousand clients that follow the events of one account: the memory and processor time of the service, and
 * the latency at the last client.
 */
export async function benchSse({ service: first, connectionString, dataDir, token }: Subject): Promise<void> {
  const service = await startServiceProcess({
    PLATEN_DATA_DIR: dataDir,
    PLATEN_DATABASE_URL: connectionString,
    PLATEN_RATE_LIMITS: 'off',
    // The access token has the origin of the first service as issuer.
    PLATEN_PUBLIC_URL: first.origin,
    PLATEN_EVENT_STREAMS_PER_USER: String(CLIENTS),
  })
  const database = openDatabase({ connectionString, max: 1 }, createLog({ level: 'warn' }))
  const pid = service.child.pid ?? 0
  const clients: ClientRequest[] = []
  try {
    const { body: me } = await call('GET', `${service.origin}/v1/me`, { token })
    const before = await residentMegabytes(pid)
    const idleBefore = await idleShare(pid)
    const arrivals = createArrivals()
    await openAll(clients, `${service.origin}/v1/events/stream`, token, arrivals.count)
    const idle = await idleShare(pid)
    const open = await residentMegabytes(pid)
    const latencies: number[] = []
    for (let n = 0; n < EVENTS; n += 1) {
      const subject = newId('order')
      const event = { type: 'order.created', subject, ownerId: me.id, data: DATA, at: new Date() } as const
      const all = arrivals.next()
      await database.db.transaction().execute((trx) => emit(trx, event))
      const committedAt = performance.now()
      latencies.push((await all) - committedAt)
    }
    const memory = await residentMegabytes(pid)
    latencies.sort((a, b) => a - b)
    report({
      figure: `memory of the service with ${CLIENTS} event streams`,
      value: memory,
      limit: 300,
      unit: 'MB',
      ratio: memory / 300,
      aim: 'under 300 MB',
      reached: memory < 300,
      before,
      opened: open,
      kilobytesEach: ((open - before) * 1024) / CLIENTS,
      coreWhileIdle: idle,
      coreBefore: idleBefore,
      lastClientP50Ms: quantile(latencies, 0.5),
      lastClientP99Ms: quantile(latencies, 0.99),
    })
  } finally {
    for (const client of clients) client.destroy()
    await database.close()
    await service.stop()
  }
}

/** Measures the share of a processor core that the process uses while it is idle. */
async function idleShare(pid: number): Promise<number> {
  await delay(1_000)
  const begin = await processorMs(pid)
  await delay(IDLE_MS)
  return ((await processorMs(pid)) - begin) / IDLE_MS
}

/** Counts the events that clients have received. `next` resolves when the last client has received the next event. */
function createArrivals() {
  let missing = 0
  let arrived: (at: number) => void = () => undefined
  return {
    next: (): Promise<number> => {
      missing = CLIENTS
      return new Promise((resolve) => {
        arrived = resolve
      })
    },
    count: (events: number): void => {
      missing -= events
      if (missing === 0) arrived(performance.now())
    },
  }
}

async function openAll(
  clients: ClientRequest[],
  address: string,
  token: string,
  count: (events: number) => void,
): Promise<void> {
  const lane = async (): Promise<void> => {
    while (clients.length < CLIENTS) {
      const outgoing = request(address, { agent: false, headers: { authorization: `Bearer ${token}` } })
      clients.push(outgoing)
      await new Promise<void>((resolve, reject) => {
        outgoing.once('error', reject)
        outgoing.once('response', (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`${address} responded with ${answer.statusCode}`))
          answer.on('error', () => undefined)
          answer.setEncoding('latin1').on('data', (text: string) => count(text.split('\ndata: ').length - 1))
          resolve()
        })
        outgoing.end()
      })
      outgoing.on('error', () => undefined)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
