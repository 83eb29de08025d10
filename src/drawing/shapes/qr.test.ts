import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'uqr'
import { qrCode } from './qr.ts'

test('the rectangles cover exactly the dark modules, each once', () => {
  const value = 'https://example.org/پلاتن'
  const code = qrCode(value, 'Q')
  const { data, size } = encode(value, { ecc: 'Q', boostEcc: false, border: 0 })
  assert.equal(code?.size, size)
  const painted = data.map((row) => row.map(() => 0))
  for (const { x, y, width, height } of code?.dark ?? []) {
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) {
        const line = painted[row]
        if (line !== undefined) line[column] = (line[column] ?? 0) + 1
      }
    }
  }
  assert.deepEqual(
    painted,
    data.map((row) => row.map(Number)),
  )
  assert.ok((code?.dark.length ?? 0) < data.flat().filter(Boolean).length / 1.5)
})

test('a higher level of error correction takes more modules', () => {
  const value = 'x'.repeat(60)
  assert.ok((qrCode(value, 'L')?.size ?? 0) < (qrCode(value, 'H')?.size ?? 0))
})

test('a value that no version holds has no code', () => {
  assert.ok(qrCode('x'.repeat(2953), 'L'))
  assert.equal(qrCode('x'.repeat(2954), 'L'), undefined)
  assert.equal(qrCode('é'.repeat(1500), 'L'), undefined)
})
