import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../../test/harness.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase } from '../index.ts'
import { packRows } from './packed-rows.ts'

interface Row {
  name: string
  none: string | null
  count: number
  parts: unknown
  at: Date
  never: Date | null
  body: string
  absent: string | null
  last: string
}

const SELECT = `
  select $1::text as name, null::text as none, 9007199254740991::bigint as count, '[1, {"b": null}]'::json as parts,
    $2::timestamptz as at, null::timestamptz as never, $3::json::text as body, null::json::text as absent,
    '{"c":"%s"}'::json::text as last`

test('a packed row is the row that the statement selects, also with separators, line breaks and nulls', async (t) => {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  const { pack, unpack } = packRows<Row>({
    name: 'value',
    none: 'value',
    count: 'value',
    parts: 'value',
    at: 'date',
    never: 'date',
    body: 'text',
    absent: 'text',
    last: 'text',
  })
  const values = ['a\x1eb\n"c" \\ %s ☃', new Date('2026-02-28T23:59:59.987Z'), JSON.stringify({ d: 'e\x1ef\n' })]
  const plain = await database.pool.query<Row>(SELECT, values)
  const packed = await database.pool.query<{ packed: string }>(pack(SELECT), values)
  assert.deepEqual(unpack(packed.rows[0]?.packed ?? ''), plain.rows[0])
})
