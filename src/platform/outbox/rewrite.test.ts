import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { type Db, openDatabase } from '../db/index.ts'
import { createLog } from '../telemetry/log.ts'
import { emit, eraseEvents, rewriteEvents } from './index.ts'

const SUBJECTS = ['dsn_1', 'dsn_2', 'dsn_3']

// All readers of events wait for the transaction.
test('one transaction reads two megabytes of events, however short they become, and the next ones the others', async (t) => {
  const { db, close } = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(close)
  const data = { text: 'x'.repeat(150_000) }
  await db.transaction().execute(async (trx) => {
    for (let n = 1; n <= 25; n += 1) {
      await emit(trx, { type: 'order.created', subject: 'ord_1', ownerId: 'usr_1', data, at: new Date() })
    }
  })
  const rewritten: number[] = []
  const rewriteSome = () =>
    db.transaction().execute(async (trx) => {
      let [events, bytes] = [0, 0]
      const isComplete = await rewriteEvents(trx, ['ord_1'], (event) => {
        events += 1
        bytes += JSON.stringify(event).length
        return {}
      })
      assert.ok(bytes <= 2 * 1024 * 1024, `${bytes} bytes in one transaction`)
      rewritten.push(events)
      return isComplete
    })
  while (!(await rewriteSome()));
  assert.deepEqual(rewritten, [13, 12])
})

test('an event that exceeds what is left of the two megabytes waits for the next transaction', async (t) => {
  const { db, close } = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(close)
  const event = { type: 'order.created', subject: 'ord_1', ownerId: 'usr_1', at: new Date() } as const
  await db.transaction().execute(async (trx) => {
    for (let n = 1; n <= 10; n += 1) await emit(trx, { ...event, data: { text: 'x'.repeat(200_000) } })
    await emit(trx, { ...event, data: { text: 'x'.repeat(3_000_000) } })
  })
  assert.deepEqual(await countRewritten(db, ['ord_1']), [10, 1])
})

test('one transaction rewrites a larger event alone, and any number of small ones', async (t) => {
  const { db, close } = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(close)
  const event = { type: 'order.created', ownerId: 'usr_1', at: new Date() } as const
  await db.transaction().execute(async (trx) => {
    for (let n = 1; n <= 3; n += 1)
      await emit(trx, { ...event, subject: 'ord_1', data: { text: 'x'.repeat(n * 1_000_000) } })
    for (let n = 1; n <= 45; n += 1) await emit(trx, { ...event, subject: 'ord_2', data: { n } })
  })
  assert.deepEqual(await countRewritten(db, ['ord_1', 'ord_2']), [1, 1, 1, 45])
})

/** Rewrites the events of these subjects. Returns how many events each transaction has read. */
async function countRewritten(db: Db, subjects: readonly string[]): Promise<number[]> {
  const rewritten: number[] = []
  for (let isComplete = false; !isComplete; ) {
    let events = 0
    isComplete = await db.transaction().execute((trx) =>
      rewriteEvents(trx, subjects, () => {
        events += 1
        return {}
      }),
    )
    rewritten.push(events)
  }
  return rewritten
}

test('the data of selected events is rewritten in batches and erased without reading it', async (t) => {
  const log = createLog({ level: 'silent' })
  const { db: plain, close } = openDatabase(await createDatabase(t), log)
  t.after(close)
  let mostRows = 0
  const countRows: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      mostRows = Math.max(mostRows, result.rows.length)
      return result
    },
  }
  const db = plain.withPlugin(countRows)
  const at = new Date()
  await db.transaction().execute(async (trx) => {
    for (const subject of [...SUBJECTS, 'dsn_4']) {
      for (let n = 1; n <= 12; n += 1) {
        await emit(trx, { type: 'design.finalized', subject, ownerId: 'usr_1', data: { id: subject, n }, at })
      }
    }
  })
  const read = () =>
    plain.selectFrom('events').select(['subject', 'sequence', 'data']).orderBy('subject').orderBy('sequence').execute()
  const before = await read()

  await db.transaction().execute((trx) => rewriteEvents(trx, SUBJECTS, (data) => ({ ...data, was: data })))
  assert.ok(mostRows > 0 && mostRows <= 10, `${mostRows} events at once`)
  const isTheirs = ({ subject }: { subject: string }) => SUBJECTS.includes(subject)
  assert.deepEqual(
    await read(),
    before.map((event) =>
      isTheirs(event) ? { ...event, data: { ...(event.data as object), was: event.data } } : event,
    ),
  )

  mostRows = 0
  await db.transaction().execute((trx) => eraseEvents(trx, SUBJECTS))
  assert.equal(mostRows, 0)
  assert.deepEqual(
    await read(),
    before.map((event) => (isTheirs(event) ? { ...event, data: { id: event.subject, erased: true } } : event)),
  )
})
