import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/index.ts'
import { emit } from '../../src/platform/outbox/index.ts'

export interface Committed {
  eventId: string
  /** The time at which the commit was acknowledged, in milliseconds since 1970. */
  atMs: number
}

/** The data of an event, about as large as those of an order. */
const CONTENT = {
  items: [{ designId: 'dsn_01h455vb4pex5vsknk084sn02q', quantity: 20, unitAmount: 1_250, total: 25_000 }],
  shippingAddress: { name: 'A. Person', line1: '1 Long Street', city: 'Town', postalCode: '10115', country: 'DE' },
  note: 'x'.repeat(900),
}

/** The number of subjects in a run. A shop with a few hundred open orders has as many. */
const SUBJECTS = 600

export interface Run {
  name: string
  /** The times of the commits, by the number of the event. */
  timesMs: readonly number[]
}

/**
 * Commits events for the given users in rotation and at a fixed rate. Each event has its own durable transaction. The
 * returned times show whether the database can sustain the rate.
 */
export async function commitEvents(
  db: Db,
  { owners, perSecond, seconds }: { owners: readonly string[]; perSecond: number; seconds: number },
): Promise<Run> {
  const name = randomUUID()
  const timesMs: number[] = []
  await atRate({ perSecond, seconds }, async (number) => {
    const subject = subjectOf(name, number % SUBJECTS)
    const ownerId = owners[number % owners.length] ?? ''
    await db.transaction().execute(async (trx) => {
      // The service also locks the subject, because the events of one subject are numbered without gaps.
      await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(trx)
      await emit(trx, { type: 'order.confirmed', subject, ownerId, data: { number, ...CONTENT }, at: new Date() })
    })
    timesMs[number] = now()
  })
  return { name, timesMs }
}

function subjectOf(run: string, number: number): string {
  return `ord_bench_${run}_${number}`
}

/** Returns the events of a run with their ids and the times of their commits. */
export async function findCommitted(db: Db, { name, timesMs }: Run): Promise<Committed[]> {
  const subjects = Array.from({ length: SUBJECTS }, (_, number) => subjectOf(name, number))
  const { rows } = await sql<{ id: string; number: number }>`
    select id, (data->>'number')::int as number from events where subject = any(${subjects}::text[])`.execute(db)
  return rows.map(({ id, number }) => ({ eventId: id, atMs: timesMs[number] ?? Number.NaN }))
}

/**
 * Returns milliseconds since 1970 with a higher resolution than `Date.now()`. The values of different processes on one
 * computer can be compared.
 */
export function now(): number {
  return performance.timeOrigin + performance.now()
}

/** Starts calls of `work` at a fixed rate, however long each call takes. Waits for all calls. */
export async function atRate(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  work: (number: number) => Promise<void>,
): Promise<void> {
  const running: Promise<void>[] = []
  const begin = performance.now()
  while (running.length < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - begin) / 1000) * perSecond))
    while (running.length < due) running.push(work(running.length))
    await delay(5)
  }
  await Promise.all(running)
}
