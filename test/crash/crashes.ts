import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { type BusyShop, eventsOf, openBusyShop } from './busy-shop.ts'
import type { Told } from './followers.ts'

export interface Crashes {
  /** The data folder of the service. It must be empty. */
  dataDir: string
  /** How often the service is killed. */
  cycles: number
  /** In every n-th cycle, all processes of PostgreSQL are also killed. */
  databaseEvery: number
  customers: number
  /** The maximum number of responses between a start of the service and its next kill. */
  longestLife: number
}

export interface Outcome {
  orders: number
  /** The number of requests that were sent more than once. */
  repeated: number
  events: number
  /** The number of deliveries that repeated an event for the webhook receiver. */
  duplicates: number
  /** The time from each kill until the next process was ready. */
  recoveriesMs: number[]
  /** The time from the end of the last request until all receivers had every event. */
  settledInMs: number
  /** Descriptions of violated guarantees. */
  faults: string[]
}

const ADMIN = { email: 'admin@example.com', password: 'survives every power cut' }
const SETTLE_MS = 120_000
/** How often only one API process is killed. */
const API_PROCESS_EVERY = 4

/**
 * Repeatedly kills the service of a busy shop (SIGKILL) at random times and restarts it. Afterwards, checks that every
 * acknowledged change exists once and that every receiver has all events.
 */
export async function crashAgainAndAgain(crashes: Crashes): Promise<Outcome> {
  const { dataDir, cycles, databaseEvery, longestLife } = crashes
  const env = {
    PLATEN_PORT: String(await freePort()),
    PLATEN_PROCESSES: '2',
    PLATEN_DATA_DIR: dataDir,
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    PLATEN_ADMIN_EMAIL: ADMIN.email,
    PLATEN_ADMIN_PASSWORD: ADMIN.password,
  }
  let service = await startServiceProcess(env)
  let shop: BusyShop | undefined
  try {
    shop = await openBusyShop(service.origin, ADMIN, crashes.customers)
    const recoveriesMs: number[] = []
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      await liveFor(shop, 1 + Math.floor(longestLife * Math.random()))
      const begin = performance.now()
      // The main process replaces an API process, while the other one serves.
      if (cycle % API_PROCESS_EVERY === 1) killApiProcess(service)
      else {
        await kill(service, cycle % databaseEvery === 0 ? dataDir : undefined)
        service = await startServiceProcess(env)
        recoveriesMs.push(performance.now() - begin)
      }
    }
    await shop.finish()
    const settledInMs = await untilAllAreTold(shop)
    const faults = await findFaults(shop)
    const { made, receiver, repeated } = shop
    const events = countEvents(receiver.told)
    return {
      orders: made.length,
      repeated,
      events,
      duplicates: receiver.told.duplicates,
      recoveriesMs,
      settledInMs,
      faults,
    }
  } finally {
    await shop?.close()
    await service.stop()
  }
}

/** Waits for a number of responses and then for a short random time, so that each kill interrupts another request. */
async function liveFor(shop: BusyShop, requests: number): Promise<void> {
  const end = shop.answered + requests
  while (shop.answered < end) await delay(5)
  await delay(20 * Math.random())
}

function killApiProcess({ child }: ServiceProcess): void {
  const found = execFileSync('pgrep', ['-P', String(child.pid), '-f', 'api-process'], { encoding: 'utf8' })
  process.kill(Number(found.split('\n')[0]), 'SIGKILL')
}

/**
 * Kills a service process.
 * @param dataDir data folder of the PostgreSQL that is also killed; undefined if PostgreSQL continues
 */
async function kill({ child }: ServiceProcess, dataDir: string | undefined): Promise<void> {
  const postmaster =
    dataDir && Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
  child.kill('SIGKILL')
  // PostgreSQL leads a process group. The signal ends all of its processes at once, as a power failure does.
  if (postmaster) process.kill(-postmaster, 'SIGKILL')
  if (child.signalCode === null) await once(child, 'exit')
}

function countEvents({ bySubject }: Told): number {
  return [...bySubject.values()].reduce((sum, types) => sum + types.length, 0)
}

/** Waits until every receiver has all events of each order. Returns the waiting time in milliseconds. */
async function untilAllAreTold({ made, receiver, followers }: BusyShop): Promise<number> {
  const begin = performance.now()
  const expected = made.reduce((sum, { course }) => sum + eventsOf(course).length, 0)
  const all = [receiver.told, ...followers.map(({ told }) => told)]
  while (all.some((told) => countEvents(told) < expected) && performance.now() - begin < SETTLE_MS) await delay(50)
  return performance.now() - begin
}

async function findFaults(shop: BusyShop): Promise<string[]> {
  const { receiver, followers } = shop
  const [pages, stream] = followers
  return [
    ...shop.surprises,
    ...(await faultsOfOrders(shop)),
    ...faultsOf('webhooks', receiver.told, shop),
    ...(pages === undefined ? [] : faultsOf('GET /events', pages.told, shop)),
    ...(stream === undefined ? [] : faultsOf('the stream', stream.told, shop)),
    ...(receiver.unsigned === 0 ? [] : [`${receiver.unsigned} posts with a wrong signature`]),
    // A program that reads events and continues after the last event id must receive no event twice.
    ...followers
      .filter(({ told }) => told.duplicates > 0)
      .map(({ told }) => `${told.duplicates} events were read twice`),
  ]
}

/** Checks that every acknowledged order exists once, and that its status and amounts are those of its course. */
async function faultsOfOrders(shop: BusyShop): Promise<string[]> {
  const faults: string[] = []
  const found = new Map<string, string[]>()
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`
    const { body } = await shop.ask('GET', `/orders?limit=100${query}`, { token: shop.customer })
    for (const { id, metadata, status, payment } of body.data) {
      found.set(metadata.key, [...(found.get(metadata.key) ?? []), id])
      const order = shop.made.find((made) => made.id === id)
      const { capturedAmount, refundedAmount } = payment
      const given = `${id}: ${status}, ${payment.status}, ${capturedAmount.amount} less ${refundedAmount.amount}`
      if (order === undefined) faults.push(`${given}; no response acknowledged this order`)
      else if (given !== expectedState(order)) faults.push(`${given}; expected ${expectedState(order)}`)
    }
    cursor = body.nextCursor
  } while (cursor !== null)
  for (const { key, id } of shop.made) {
    const ids = found.get(key) ?? []
    if (ids.length !== 1 || ids[0] !== id)
      faults.push(`${id} was acknowledged; orders with its key: ${ids.join(', ') || 'none'}`)
  }
  return faults
}

function expectedState({ id, course, total }: BusyShop['made'][number]): string {
  const [status, payment, refunded] = {
    delivered: ['delivered', 'captured', 0],
    refunded: ['in_production', 'refunded', total],
    cancelled: ['cancelled', 'refunded', total],
  }[course]
  return `${id}: ${status}, ${payment}, ${total} less ${refunded}`
}

/** Checks that each event arrived once, in order and without a gap. */
function faultsOf(who: string, told: Told, { made }: BusyShop): string[] {
  const wrong = made.flatMap(({ id, course }) => {
    const types = told.bySubject.get(id) ?? []
    return types.join() === eventsOf(course).join()
      ? []
      : [`${who} received for ${id} (${course}): ${types.join(', ')}`]
  })
  const known = new Set(made.map(({ id }) => id))
  const unknown = [...told.bySubject.keys()].filter((subject) => !known.has(subject))
  return [
    ...wrong,
    ...told.outOfOrder.map((place) => `${who}: ${place}`),
    ...unknown.map((subject) => `${who} received events of the unknown order ${subject}`),
  ]
}
