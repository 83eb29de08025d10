import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../test/lib/until.ts'
import { collectLog, emitAlone, openPools } from './factory.ts'
import { readHeldBack, watchHeldBack } from './index.ts'

test('an older transaction that holds back events is measured, and named in a warning once', async (t) => {
  const [pool, other, watched] = await openPools(t, 3)
  assert.ok(pool !== undefined && other !== undefined && watched !== undefined)
  const { log, lines } = collectLog()
  const warnings = () => lines.filter((line) => JSON.stringify(line).includes('wait for an older transaction'))
  await other.db.transaction().execute(async (trx) => {
    await sql`set local application_name = 'nightly export'`.execute(trx)
    const { rows } = await sql<{ pid: number }>`
      select pg_backend_pid() as pid, pg_current_xact_id()::text`.execute(trx)
    await emitAlone(pool, 'ord_1')
    // While events wait only shortly, the connections of the server are not searched.
    await sql`update events set created_at = now() + interval '1 hour'`.execute(pool.db)
    assert.deepEqual(await readHeldBack(pool.db), { seconds: 0, holder: undefined })
    await sql`update events set created_at = now() - interval '2 minutes'`.execute(pool.db)
    // Databases of other tests are on the same server, and may have older transactions for some time.
    await until('the transaction to be the oldest', async () => {
      const { holder } = await readHeldBack(pool.db)
      return holder?.pid === rows[0]?.pid
    })
    const { seconds, holder } = await readHeldBack(pool.db)
    assert.ok(seconds >= 120 && seconds < 600, `${seconds}`)
    assert.deepEqual([holder?.application, holder?.state], ['nightly export', 'idle in transaction'])
    const looks = t.mock.method(watched.pool, 'connect')
    const watch = watchHeldBack({ db: watched.db, log, everyMs: 20 })
    await until('several looks', () => looks.mock.callCount() > 3)
    await watch.stop()
    assert.equal(warnings().length, 1)
    assert.match(JSON.stringify(warnings()[0]), /nightly export/)
  })
  await until('nothing waits', async () => (await readHeldBack(pool.db)).seconds === 0)
})
