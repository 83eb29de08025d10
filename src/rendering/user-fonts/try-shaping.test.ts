import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hb } from '../../drawing/engine.ts'
import { type FontRefusal, Refused } from '../errors.ts'
import { startRenderer } from '../factory.ts'
import { callingGsub, floodingGsub, makeFont, makeSlow, slowGsub, writeFont } from './factory.ts'
import { inspectFont } from './inspect-font.ts'

type Outcome = { code: FontRefusal | 'accepted'; detail: string }

async function outcomeOf(inspecting: Promise<unknown>): Promise<Outcome> {
  return inspecting.then(
    () => ({ code: 'accepted', detail: '' }),
    (error: unknown) => {
      if (error instanceof Refused) return { code: error.code, detail: error.detail }
      throw error
    },
  )
}

async function inspectWithGsub(t: TestContext, gsub: Buffer): Promise<Outcome> {
  const bytes = await makeFont({ edit: (tables) => tables.set('GSUB', gsub) })
  return outcomeOf(inspectFont(await writeFont(t, bytes)))
}

const TOO_SLOW = {
  code: 'font_too_complex',
  detail: 'A text of 10000 characters takes too long to lay out in the font.',
}

// These are few among hundreds of letters, so the average cost per letter is as low as in other fonts.
const FEW_LETTERS = [10, 60] as const

test('a font that is slow in a few letters is rejected by measuring, within the time limit of a job', async (t) => {
  const gsub = slowGsub({ lookups: 500, context: 45, glyphs: FEW_LETTERS })
  const file = await writeFont(t, await makeFont({ edit: (tables) => tables.set('GSUB', gsub) }))
  assert.deepEqual(await outcomeOf(startRenderer(t, { timeoutMs: 60_000 }).inspectFont(file)), TOO_SLOW)
})

test('a font that is slow only in long texts, because its lookups read far ahead, is rejected', async (t) => {
  assert.deepEqual(await inspectWithGsub(t, slowGsub({ lookups: 20, context: 1_500, glyphs: FEW_LETTERS })), TOO_SLOW)
})

test('a font with 4,000 lookups that compare every letter is rejected before any text is shaped', async (t) => {
  const { code, detail } = await outcomeOf(inspectFont(await writeFont(t, await makeSlow())))
  assert.equal(code, 'font_too_complex')
  assert.notEqual(detail, TOO_SLOW.detail)
})

test('a font with contextual lookups like those of many fonts is accepted', async (t) => {
  assert.equal((await inspectWithGsub(t, slowGsub({ lookups: 40, context: 3 }))).code, 'accepted')
})

test('nested lookups over a few levels are accepted', async (t) => {
  assert.equal((await inspectWithGsub(t, callingGsub([[1], [2], [3], []]))).code, 'accepted')
})

const TANGLES: [what: string, gsub: Buffer][] = [
  ['call themselves', callingGsub([[0]])],
  ['call one another in a circle', callingGsub([[1], [2], [0]])],
  ['call one another over too many levels', callingGsub([...Array.from({ length: 20 }, (_, i) => [i + 1]), []])],
  [
    'call eight others each over a few levels',
    callingGsub([...Array.from({ length: 8 }, (_, i) => new Array<number>(8).fill(i + 1)), []]),
  ],
  ['compare a letter with too many others', slowGsub({ lookups: 60, context: 3_000, shared: true })],
]
for (const [what, gsub] of TANGLES) {
  test(`a font whose lookups ${what} is rejected before any text is shaped`, async (t) => {
    const { code, detail } = await inspectWithGsub(t, gsub)
    assert.equal(code, 'font_too_complex')
    assert.notEqual(detail, TOO_SLOW.detail)
  })
}

const COSTLY = slowGsub({ lookups: 60, context: 3_000, shared: true })

/**
 * Renames the only feature of a table "GSUB". With `isRequired`, the only language of the table also requires this
 * feature.
 */
function renamed(gsub: Buffer, tag: string, { isRequired = false } = {}): Buffer {
  const table = Buffer.from(gsub)
  table.write(tag, table.readUInt16BE(6) + 2, 'latin1')
  const scriptAt = table.readUInt16BE(4) + table.readUInt16BE(table.readUInt16BE(4) + 6)
  if (isRequired) table.writeUInt16BE(0, scriptAt + table.readUInt16BE(scriptAt) + 2)
  return table
}

/**
 * Moves the lookups of the only feature to a feature that always replaces it. Variable fonts have such replacements.
 */
function inVariations(gsub: Buffer): Buffer {
  const header = Buffer.alloc(14)
  header.writeUInt16BE(1, 0)
  header.writeUInt16BE(1, 2)
  for (const at of [4, 6, 8]) header.writeUInt16BE(gsub.readUInt16BE(at) + 4, at)
  header.writeUInt32BE(gsub.length + 4, 10)
  const rest = Buffer.from(gsub.subarray(10))
  const listAt = gsub.readUInt16BE(6)
  const featureAt = listAt + gsub.readUInt16BE(listAt + 6) - 10
  const lookups = rest.readUInt16BE(featureAt + 2)
  const feature = rest.subarray(featureAt, featureAt + 4 + lookups * 2)
  // There is one record: an empty set of conditions, and the replacement of feature 0.
  const variations = Buffer.alloc(16 + 2 + 12)
  for (const [at, value] of [
    [0, 1],
    [20 - 2, 1],
    [22, 1],
    [24, 0],
  ] as const)
    variations.writeUInt16BE(value, at)
  variations.writeUInt32BE(1, 4)
  variations.writeUInt32BE(16, 8)
  variations.writeUInt32BE(18, 12)
  variations.writeUInt32BE(12, 26)
  const table = Buffer.concat([header, rest, variations, feature])
  table.writeUInt16BE(0, 14 + featureAt + 2)
  return table
}

const WAYS: [way: string, moved: (gsub: Buffer) => Buffer][] = [
  ['in the feature "Harf"', (gsub) => renamed(gsub, 'Harf')],
  ['in the feature "HARF"', (gsub) => renamed(gsub, 'HARF')],
  ['in the feature "Buzz"', (gsub) => renamed(gsub, 'Buzz')],
  ['in the feature "BUZZ"', (gsub) => renamed(gsub, 'BUZZ')],
  ['in a feature that a language requires', (gsub) => renamed(gsub, 'zzzz', { isRequired: true })],
  ['in a feature that replaces another', inVariations],
]
for (const [way, moved] of WAYS) {
  test(`rules count ${way}, because they are applied to every text`, async (t) => {
    assert.equal(await glyphsOfFlood(moved), FLOOD)
    const { code, detail } = await inspectWithGsub(t, moved(COSTLY))
    assert.equal(code, 'font_too_complex')
    assert.notEqual(detail, TOO_SLOW.detail)
  })
}

test('rules of a feature that is not applied do not count', async (t) => {
  const moved = (gsub: Buffer) => renamed(gsub, 'zzzz')
  assert.equal(await glyphsOfFlood(moved), 1)
  assert.equal((await inspectWithGsub(t, moved(COSTLY))).code, 'accepted')
})

const FLOOD = 30

/** Returns how many glyphs HarfBuzz makes of one letter. The font has a rule that produces too many glyphs. */
async function glyphsOfFlood(moved: (gsub: Buffer) => Buffer): Promise<number> {
  const glyph = new hb.Font(new hb.Face(new hb.Blob(await makeFont()))).nominalGlyph(LETTER.charCodeAt(0)) ?? 0
  const sfnt = await makeFont({ edit: (tables) => tables.set('GSUB', moved(floodingGsub(glyph, FLOOD))) })
  const buffer = new hb.Buffer()
  buffer.addText(LETTER)
  buffer.guessSegmentProperties()
  hb.shape(new hb.Font(new hb.Face(new hb.Blob(sfnt))), buffer, [])
  return buffer.getLength()
}

const LETTER = 'q'
