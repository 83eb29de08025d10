import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCsv, readItems } from './read-csv.ts'

test('columns match placeholders by their headings, with quotes, line ends and semicolons', () => {
  const csv = 'First Name;TABLE;Notes\r\n"Ada, Countess";7;x\r\n\r\n"two\nlines";8;\r\n'
  const { items, missingColumns, unusedColumns } = readItems(csv, ['first name', 'Table'])
  assert.deepEqual(
    items.map(({ row, data, missing }) => ({ row, data, missing })),
    [
      { row: 1, data: { 'first name': 'Ada, Countess', Table: '7' }, missing: [] },
      { row: 2, data: { 'first name': 'two\nlines', Table: '8' }, missing: [] },
    ],
  )
  assert.deepEqual([missingColumns, unusedColumns], [[], ['Notes']])
})

test('rows and columns without values are told', () => {
  const { items, missingColumns } = readItems('name,seat\nAda,\n', ['name', 'seat', 'row'])
  assert.deepEqual(items[0]?.missing, ['seat', 'row'])
  assert.deepEqual(missingColumns, ['row'])
  assert.deepEqual(readItems('', ['name']).items, [])
})

test('files of older spreadsheets are decoded, and a byte order mark is no part of a heading', () => {
  assert.equal(decodeCsv(Uint8Array.of(0x47, 0xfc, 0x6e).buffer), 'Gün')
  const withMark = Uint8Array.of(0xef, 0xbb, 0xbf, 0x6e, 0x0a, 0x41).buffer
  assert.deepEqual(readItems(decodeCsv(withMark), ['n']).items[0]?.data, { n: 'A' })
})
