import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { openDatabase } from '../../db/index.ts'
import { createLog } from '../../telemetry/log.ts'
import { STORES, writeTo } from '../factory.ts'
import { createStorage } from '../storage.ts'
import { watchStore } from './store-comparison.ts'

async function openDb(t: TestContext) {
  const log = createLog({ level: 'silent' })
  const database = openDatabase({ ...(await createDatabase(t)), max: 2 }, log)
  t.after(() => database.close())
  return { db: database.db, log }
}

function watchLogging(t: TestContext, compare: Parameters<typeof watchStore>[0]['compare']) {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  const watch = watchStore({ compare, log: createLog({ level: 'warn', destination }), everyMs: 5 })
  t.after(() => watch.stop())
  return lines
}

for (const [kind, open] of Object.entries(STORES)) {
  test(`a node whose storage lacks the files of the database names PLATEN_STORAGE_URL in its log (${kind})`, async (t) => {
    const { db, log } = await openDb(t)
    const [own, other] = [await open(t), await open(t)].map((store) => createStorage({ store, db, log }))
    assert.ok(own !== undefined && other !== undefined)
    let looks = 0
    const lines = watchLogging(t, () => {
      looks += 1
      return other.compare()
    })
    await until('several looks, because the database knows no file yet', () => looks > 2)
    for (let count = 0; count < 10; count += 1) await own.store(await writeTo(own))
    // The bytes of new rows may be under way.
    assert.deepEqual(await other.compare(), { searched: 0, missing: 0 })
    assert.deepEqual(lines, [])
    await sql`update storage_objects set put_at = now() - interval '2 minutes'`.execute(db)
    assert.deepEqual(await own.compare(), { searched: 8, missing: 0 })
    assert.deepEqual(await other.compare(), { searched: 8, missing: 8 })
    await until('the line', () => lines.length > 0)
    assert.match(lines[0] ?? '', /"searched":8,"missing":8.*same PLATEN_STORAGE_URL/)
    const before = looks
    assert.deepEqual([lines.length, looks], [1, before])
  })
}

test('a node with the storage of the others logs nothing, even if a file is missing', async (t) => {
  let looks = 0
  const outcomes = [
    { searched: 0, missing: 0 },
    { searched: 1, missing: 1 },
    { searched: 8, missing: 1 },
  ]
  const lines = watchLogging(t, async () => {
    looks += 1
    if (looks === 1) throw new Error('the storage does not respond')
    return outcomes.shift() ?? assert.fail('a look after the first outcome')
  })
  await until('the outcome', () => outcomes.length === 0)
  assert.deepEqual(lines, [])
})
