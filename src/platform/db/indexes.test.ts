import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createDatabase } from '../../../test/harness.ts'

test('every reference to an account or a session has an index, so that a deletion does not scan tables', async (t) => {
  const client = new pg.Client(await createDatabase(t))
  await client.connect()
  try {
    const { rows } = await client.query<{ reference: string }>(`
      select c.conrelid::regclass || '.' || a.attname as reference
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.confrelid in ('users'::regclass, 'sessions'::regclass) and not exists (
        select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = a.attnum
          and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))
      order by reference`)
    assert.deepEqual(
      rows.map(({ reference }) => reference),
      [],
    )
  } finally {
    await client.end()
  }
})
