import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CsvError, decodeText, readCsv } from './read-csv.ts'

const read = (text: string) => readCsv(text, { maxRecords: 100 })
const fieldsOf = (text: string) => read(text).map(({ fields }) => fields)

test('every table is read back, with each delimiter and each line end', () => {
  const quote = (field: string) => `"${field.replaceAll('"', '""')}"`
  const field = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a;b', 'a,b', '"', '""', '\r\n', ' x ', "='1"))
  const table = fc.array(fc.tuple(field, field), { maxLength: 20 })
  const form = fc.constantFrom([',', '\n'], [';', '\r\n'], ['\t', '\r'])
  fc.assert(
    fc.property(table, form, (rows, [delimiter, lineEnd]) => {
      const filled = rows.filter((row) => row.some((one) => one.trim() !== ''))
      const header = ['order', 'carrier']
      const text = [header, ...filled].map((row) => row.map(quote).join(delimiter) + lineEnd).join('')
      const inOneForm = filled.map((row) => row.map((one) => one.replaceAll(/\r\n?/g, '\n')))
      assert.deepEqual(fieldsOf(text), [header, ...inOneForm])
    }),
  )
})

test('records state the line of the file in which they begin', () => {
  const lines = read('order;carrier\r\n\r\n1;"two\r\nlines"\r\n;;\r\n2;DHL').map(({ line, fields }) => [
    line,
    ...fields,
  ])
  assert.deepEqual(lines, [
    [1, 'order', 'carrier'],
    [3, '1', 'two\nlines'],
    [6, '2', 'DHL'],
  ])
})

test('a line before the header can state the delimiter', () => {
  assert.deepEqual(fieldsOf('sep=;\r\na,b;c\n1;2'), [
    ['a,b', 'c'],
    ['1', '2'],
  ])
})

test('a field can contain quotes without being quoted', () => {
  assert.deepEqual(fieldsOf('a,b\n="0034",5" x 7"\n"x"y,z'), [
    ['a', 'b'],
    ['="0034"', '5" x 7"'],
    ['"x"y', 'z'],
  ])
})

test('unclosed quotes and too many lines are refused', () => {
  const codeOf = (text: string, maxRecords = 100) => {
    try {
      readCsv(text, { maxRecords })
    } catch (error) {
      assert.ok(error instanceof CsvError)
      return [error.code, error.message]
    }
    return undefined
  }
  assert.deepEqual(codeOf('a\n\n"b'), ['unclosed_quote', 'A quote that begins in line 2 or below is not closed.'])
  assert.equal(codeOf('a\n1\n2', 3), undefined)
  assert.equal(codeOf('a\n1\n2\n3', 3)?.[0], 'too_many_lines')
})

test('files with so many fields that reading them would take long are refused', () => {
  const wide = (columns: number) => Array.from({ length: columns }, (_, i) => i).join(',')
  assert.equal(fieldsOf(wide(200))[0]?.length, 200)
  assert.throws(() => read(wide(201)), { code: 'too_many_columns', message: /201 columns, and 200 are possible/ })
  assert.throws(() => read(`sep=,\n\n${wide(201)}`), { code: 'too_many_columns' })
  assert.equal(fieldsOf(`a,b\n${wide(5_000)}`)[1]?.length, 5_000)
  assert.throws(() => read(`a,b\n${wide(5_001)}`), { code: 'too_many_columns' })
})

test('text is read in the encodings in which Excel saves it', () => {
  const text = 'Größe €'
  const windows = Uint8Array.from([0x47, 0x72, 0xf6, 0xdf, 0x65, 0x20, 0x80])
  const encodings: [string, Uint8Array][] = [
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big endian', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['Windows-1252', windows],
  ]
  for (const [name, bytes] of encodings) assert.equal(decodeText(bytes), text, name)
  assert.throws(() => decodeText(Buffer.from('PK\u0003\u0004\0\0')), CsvError)
})
