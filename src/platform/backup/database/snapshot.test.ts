import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, untilBlocked } from '../../../../test/harness.ts'
import { PATIENCE_MS } from '../../../../test/lib/until.ts'
import { openDatabase } from '../../db/index.ts'
import { createLog } from '../../telemetry/log.ts'
import type { Part } from '../format/manifest.ts'
import { withSnapshot } from './snapshot.ts'
import { listTables, orderByDependency } from './tables.ts'

const log = createLog({ level: 'silent' })
const NO_PART: Part = {
  file: { sha256: '0'.repeat(64), bytes: 0 },
  content: { sha256: '0'.repeat(64), bytes: 0, lines: 0 },
}

test('a dump contains no row that was committed after its snapshot, and delays no writer', async (t) => {
  const database = openDatabase(await createDatabase(t), log)
  t.after(database.close)
  const { db } = database
  // Longer than a chunk, with characters that COPY escapes.
  const long = 'a line\n\tand a \\N '.repeat(10_000)
  const insert = (subject: string) =>
    sql`insert into event_sequences (subject, last) values (${subject}, 1)`.execute(db)
  await insert('before')
  await sql`create table notes (id text primary key, note text)`.execute(db)
  await sql`insert into notes values ('long', ${long}), ('none', null), ('empty', '')`.execute(db)
  const dumped = new Map<string, string>()
  await withSnapshot(database, async (snapshot) => {
    await insert('after')
    const write = async (rows: Readable): Promise<Part> => {
      dumped.set([...names][dumped.size] ?? '', await text(rows))
      return NO_PART
    }
    const client = await database.pool.connect()
    const names = new Set((await listTables(client)).map(({ name }) => name))
    client.release()
    const { tables } = await snapshot.dump(write)
    assert.deepEqual(new Set(tables.map(({ name }) => name)), names)
  })
  assert.equal(dumped.get('event_sequences'), 'before\t1\n')
  const escaped = long.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  assert.equal(dumped.get('notes'), `empty\t\nlong\t${escaped}\nnone\t\\N\n`)
})

test('a migration that changes a table waits for the dump', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), lock_timeout: PATIENCE_MS }, log)
  t.after(database.close)
  const done: string[] = []
  const altering = await withSnapshot(database, async () => {
    const alter = sql`alter table users add column later text`.execute(database.db).then(() => done.push('altered'))
    await untilBlocked(database.db)
    done.push('dumped')
    return { alter }
  })
  await altering.alter
  assert.deepEqual(done, ['dumped', 'altered'])
})

test('tables are ordered by their references, and a circle is an error', () => {
  const needs = (table: string, needed: string) => ({ table, needs: needed })
  const names = ['items', 'orders', 'users']
  const dependencies = [needs('items', 'orders'), needs('orders', 'users'), needs('items', 'users')]
  assert.deepEqual(orderByDependency(names, dependencies), ['users', 'orders', 'items'])
  assert.throws(
    () => orderByDependency(names, [...dependencies, needs('users', 'items')]),
    /in a circle: items, orders, users/,
  )
})
