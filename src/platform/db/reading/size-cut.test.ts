import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { createRequestContext, type RequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase } from '../index.ts'
import { readCutRows } from './size-cut.ts'

/** Reads pages of one record in requests, and records when a read begins and ends. */
async function startReading(t: TestContext) {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  const seen: string[] = []
  const cut = { ids: sql`select 'one'`, bytesOf: () => sql`select 1`, limit: 1 }
  const read = (name: string, context: Partial<RequestContext>, work: () => Promise<void> = async () => undefined) =>
    runInRequest(Object.assign(context, { ...createRequestContext(), ...context }) as RequestContext, () =>
      readCutRows(database.db, cut, async () => {
        seen.push(`${name} begins`)
        await work()
        seen.push(`${name} ends`)
        return [name]
      }),
    )
  return { seen, read }
}

const BUSY_MS = 60

test('pages of one customer are read one after another with pauses, and those of others do not wait', async (t) => {
  const { seen, read } = await startReading(t)
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const customer = () => ({ account: 'a', isCustomer: true })
  const { promise: began, resolve: begin } = Promise.withResolvers<void>()
  const first = read('first', customer(), () => {
    begin()
    return gate
  })
  await began
  const second = read('second', customer())
  await read('other', { account: 'b', isCustomer: true })
  await read('operator', { account: 'a', isCustomer: false })
  await read('job', {})
  open()
  await Promise.all([first, second])
  const order = ['first begins', ...['other', 'operator', 'job'].flatMap((name) => [`${name} begins`, `${name} ends`])]
  assert.deepEqual(seen, [...order, 'first ends', 'second begins', 'second ends'])
  const { promise: busyAgain, resolve: letBusy } = Promise.withResolvers<[number, number]>()
  let ended = 0
  const long = read('long', customer(), async () => {
    const until = performance.now() + BUSY_MS
    while (performance.now() < until);
    ended = performance.now()
  })
  const next = read('next', customer(), async () => letBusy([ended, performance.now()]))
  await Promise.all([long, next])
  const [from, to] = await busyAgain
  // Timers round to milliseconds.
  assert.ok(to - from >= BUSY_MS - 2, 'the pause is as long as the read')
})

test('a page whose client has disconnected is not read, and a failed page does not hold up the next', async (t) => {
  const { seen, read } = await startReading(t)
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let hasLeft = false
  const gone: RequestContext = {
    ...createRequestContext(),
    account: 'a',
    isCustomer: true,
    hasLeft: () => hasLeft,
  }
  const failing = read('failing', { account: 'a', isCustomer: true }, async () => {
    await gate
    throw new Error('no')
  })
  const dropped = read('dropped', gone)
  const last = read('last', { account: 'a', isCustomer: true })
  hasLeft = true
  open()
  await assert.rejects(failing, { message: 'no' })
  await assert.rejects(dropped, ClientGone)
  await last
  assert.deepEqual(seen, ['failing begins', 'last begins', 'last ends'])
})
