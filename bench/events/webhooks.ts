import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { call, signUp } from '../../scripts/lib/client.ts'
import { freePort } from '../../scripts/lib/service-process.ts'
import { type Db, openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createSender } from '../../src/webhooks/transport/index.ts'
import { runScript, startScript } from '../lib/child.ts'
import { atRate, type Committed, commitEvents, findCommitted, now } from '../lib/events.ts'
import { quantile } from '../lib/load.ts'
import { processorMs } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const PER_SECOND = 300
const SECONDS = 20
const DEAD_ENDPOINTS = 200
const ENDPOINTS_A_PERSON = 20
const HANGING_POSTS = 2_000
const HANGING_ROUNDS = 6

type Arrival = [id: string, atMs: number]

interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

/**
 * Measures webhooks from commit to arrival, without and with 200 endpoints that fail. Compares the first figure with
 * sending the same posts without a database.
 */
export async function benchWebhooks(subject: Subject): Promise<void> {
  // The timeout is long, so that events wait for a connection if the computer is slow.
  const settings = { connectionString: subject.connectionString, max: 16, connectionTimeoutMillis: 120_000 }
  const database = openDatabase(settings, createLog({ level: 'warn' }))
  const port = await freePort()
  const receiver = await startScript(join(import.meta.dirname, 'bare-receiver.ts'), [String(port)])
  const url = `http://127.0.0.1:${port}/`
  try {
    await benchHanging(`${url}hang`)
    const straight = await postStraight(url)
    const own = await addEndpoint(subject, subject.token, url)
    const owner = await userIdOf(subject, subject.token)
    const run = () => deliver(database.db, url, { owners: [owner], perSecond: PER_SECOND, seconds: SECONDS })
    await deliver(database.db, url, { owners: [owner], perSecond: PER_SECOND, seconds: 5 })
    const processorBefore = await processorMs(subject.service.child.pid ?? 0)
    const alone = await run()
    const processorShare = ((await processorMs(subject.service.child.pid ?? 0)) - processorBefore) / (SECONDS * 1000)
    reportDeliveries('webhooks from commit to arrival', alone, straight, { processorShare })

    const dead = await addDeadEndpoints(subject, url)
    // All failing endpoints have pending deliveries before and during the measurement.
    const stopEvents = keepCommitting(database.db, dead)
    await delay(5_000)
    const beside = await run()
    await stopEvents()
    reportBeside(alone, beside)
    await call('DELETE', `${subject.base}/webhook-endpoints/${own}`, { token: subject.token })
  } finally {
    await receiver.stop()
    await database.close()
  }
}

async function benchHanging(url: string): Promise<void> {
  const script = join(import.meta.dirname, 'bare-hanging.ts')
  const args = [url, String(HANGING_POSTS), String(HANGING_ROUNDS)]
  const megabytes: number[] = JSON.parse(await runScript(script, args, { flags: ['--expose-gc'] }))
  // The memory that the first two rounds allocate is never freed, so the comparison begins after them.
  const [limit = 0] = megabytes.slice(2)
  const value = megabytes.at(-1) ?? 0
  report({
    figure: `memory of the sender after ${HANGING_POSTS * HANGING_ROUNDS} posts to receivers that never respond`,
    value,
    limit,
    unit: `MB; the limit is the memory after ${HANGING_POSTS * 3} posts`,
    ratio: value / limit,
    aim: 'at most 1.1',
    reached: value / limit <= 1.1,
  })
}

/**
 * Measures the reference: the same sender and receiver, with posts of the same number and size, and without a database.
 */
async function postStraight(url: string): Promise<Measured> {
  const sender = createSender({ allowedNetworks: ['127.0.0.1'] })
  const begun: Committed[] = []
  await atRate({ perSecond: PER_SECOND, seconds: 10 }, async (number) => {
    const eventId = `evt_straight_${number}`
    begun.push({ eventId, atMs: now() })
    const body = JSON.stringify({ text: 'x'.repeat(1_400) })
    await sender.send({ url, share: 'bench', headers: { 'webhook-id': eventId }, body })
  })
  await sender.close()
  return measure(begun, await arrivalsAt(url))
}

async function addEndpoint({ base }: Subject, token: string, url: string): Promise<string> {
  const { body } = await call('POST', `${base}/webhook-endpoints`, { token, json: { url } })
  return body.id
}

async function userIdOf({ base }: Subject, token: string): Promise<string> {
  const { body } = await call('GET', `${base}/me`, { token })
  return body.id
}

/**
 * Adds endpoints of other accounts that fail: a third never responds, a third responds with 500, and a third refuses
 * connections. Returns the owners of the endpoints.
 */
async function addDeadEndpoints(subject: Subject, url: string): Promise<string[]> {
  const closed = `http://127.0.0.1:${await freePort()}/`
  const ways = [`${url}hang`, `${url}fail`, closed]
  const owners: string[] = []
  let token = ''
  for (let number = 0; number < DEAD_ENDPOINTS; number += 1) {
    if (number % ENDPOINTS_A_PERSON === 0) {
      const person = await signUp(subject.service.origin, `${randomUUID()}@example.com`, `a dead end ${randomUUID()}`)
      token = person.accessToken
      owners.push(await userIdOf(subject, token))
    }
    await addEndpoint(subject, token, ways[number % ways.length] ?? closed)
  }
  return owners
}

/** Commits an event per second for each owner until it is stopped. Each event goes to all 20 endpoints of its owner. */
function keepCommitting(db: Db, owners: readonly string[]): () => Promise<void> {
  let isStopped = false
  const run = async (): Promise<void> => {
    while (!isStopped) await commitEvents(db, { owners, perSecond: owners.length, seconds: 1 })
  }
  const running = run()
  return async () => {
    isStopped = true
    await running
  }
}

async function deliver(db: Db, url: string, events: Parameters<typeof commitEvents>[1]): Promise<Measured> {
  const committed = await findCommitted(db, await commitEvents(db, events))
  const arrivals: Arrival[] = []
  const wanted = new Set(committed.map(({ eventId }) => eventId))
  for (let tries = 0; wanted.size > 0; tries += 1) {
    if (tries === 600) throw new Error(`${wanted.size} webhooks have not arrived after a minute`)
    for (const arrival of await arrivalsAt(url)) {
      arrivals.push(arrival)
      wanted.delete(arrival[0])
    }
    await delay(100)
  }
  return measure(committed, arrivals)
}

async function arrivalsAt(url: string): Promise<Arrival[]> {
  return (await fetch(url)).json() as Promise<Arrival[]>
}

function measure(begun: readonly Committed[], arrivals: readonly Arrival[]): Measured {
  // For a repeated delivery, the last arrival counts.
  const arrivedAt = new Map(arrivals)
  const timings = begun.map(({ eventId, atMs }) => (arrivedAt.get(eventId) ?? Number.NaN) - atMs)
  const sorted = timings.sort((a, b) => a - b)
  const first = Math.min(...begun.map(({ atMs }) => atMs))
  const last = Math.max(...arrivals.map(([, atMs]) => atMs))
  return {
    perSecond: (begun.length / (last - first)) * 1000,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  }
}

function reportDeliveries(figure: string, ours: Measured, straight: Measured, details: Record<string, number>): void {
  report({
    figure,
    value: ours.perSecond,
    limit: straight.perSecond,
    unit: 'webhooks/s',
    ratio: ours.perSecond / straight.perSecond,
    aim: `${PER_SECOND} events a second for ${SECONDS} s, p99 under 1 s`,
    reached: ours.p99Ms < 1_000 && ours.perSecond >= 0.95 * PER_SECOND,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    limitP50Ms: straight.p50Ms,
    limitP99Ms: straight.p99Ms,
    ...details,
  })
}

function reportBeside(alone: Measured, beside: Measured): void {
  report({
    figure: `webhooks from commit to arrival, with ${DEAD_ENDPOINTS} failing endpoints`,
    value: beside.p99Ms,
    limit: alone.p99Ms,
    unit: 'ms, p99',
    ratio: beside.p99Ms / alone.p99Ms,
    aim: 'p99 under 1 s, and as many a second as without these endpoints',
    reached: beside.p99Ms < 1_000 && beside.perSecond >= 0.95 * alone.perSecond,
    p50Ms: beside.p50Ms,
    perSecond: beside.perSecond,
    perSecondAlone: alone.perSecond,
  })
}
