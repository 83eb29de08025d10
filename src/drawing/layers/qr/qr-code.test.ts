import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encode } from 'uqr'
import { qrCode } from './qr-code.ts'
import { qrSize } from './qr-size.ts'

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

test('a value that is too long for every version gives no QR code', () => {
  assert.ok(qrCode('x'.repeat(2953), 'L'))
  assert.equal(qrCode('x'.repeat(2954), 'L'), undefined)
  assert.equal(qrCode('é'.repeat(1500), 'L'), undefined)
})

const LEVELS = ['L', 'M', 'Q', 'H'] as const

/** Returns the size of the QR code that the encoder creates for a text. */
function encodedSize(value: string, ecc: (typeof LEVELS)[number]): number | undefined {
  try {
    return encode(value, { ecc, boostEcc: false, maskPattern: 0, border: 0 }).size
  } catch {
    return undefined
  }
}

test('the predicted size is the encoded size', () => {
  const characters = fc.oneof(
    fc.constantFrom(...'0123456789'),
    fc.constantFrom(...'0123456789ABCXYZ $%*+-./:'),
    fc.constantFrom('a', '\n', 'é', '€', '🙂', '0'),
  )
  // Each text has one kind of character, because long mixed texts are always encoded as bytes.
  const value = fc
    .tuple(fc.array(characters, { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 1500 }))
    .map(([part, times]) => part.join('').repeat(times))
  fc.assert(
    fc.property(value, fc.constantFrom(...LEVELS), (text, level) => {
      assert.equal(qrSize(text, level), encodedSize(text, level))
    }),
    { numRuns: 60 },
  )
})

test('the size is predicted correctly up to the last character of every version and level', () => {
  for (const [index, level] of LEVELS.entries()) {
    const character = ['7', 'A', 'a', '7'][index] ?? ''
    let size: number | undefined = 21
    for (let length = 1; size !== undefined; length++) {
      const next = qrSize(character.repeat(length), level)
      if (next === size) continue
      const edge = [length - 1, length].map((count) => encodedSize(character.repeat(count), level))
      assert.deepEqual(edge, [size, next], `${level} ${length}`)
      size = next
    }
  }
})
