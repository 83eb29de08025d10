import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { openDatabase } from '../db/index.ts'
import { createLog } from '../log.ts'
import { emit, eraseEvents, rewriteEvents } from './index.ts'

const SUBJECTS = ['dsn_1', 'dsn_2', 'dsn_3']

// All readers of events wait for the transaction.
test('one transaction rewrites some megabytes of events, and the next ones the others', async (t) => {
  const { db, close } = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(close)
  const data = { text: 'x'.repeat(500_000) }
  await db.transaction().execute(async (trx) => {
    for (let n = 1; n <= 25; n += 1) {
      await emit(trx, { type: 'order.created', subject: 'ord_1', ownerId: 'usr_1', data, at: new Date() })
    }
  })
  const rewritten: number[] = []
  const rewriteSome = () =>
    db.transaction().execute(async (trx) => {
      let events = 0
      const isComplete = await rewriteEvents(trx, ['ord_1'], (event) => {
        events += 1
        return event
      })
      rewritten.push(events)
      return isComplete
    })
  while (!(await rewriteSome()));
  assert.deepEqual(rewritten, [10, 10, 5])
})

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
