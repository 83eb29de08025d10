import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type FontRefusal, Refused } from '../errors.ts'
import { startRenderer } from '../factory.ts'
import { callingGsub, makeFont, makeSlow, slowGsub, writeFont } from './factory.ts'
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

const TOO_SLOW = { code: 'font_too_complex', detail: 'A text of 10000 characters takes too long to set in the font.' }

// A few of hundreds of letters: what the rules make of a letter on average is no more than in other fonts.
const FEW_LETTERS = [10, 60] as const

test('a font that is slow in a few of its letters is refused by trial, before the time of a job is over', async (t) => {
  const gsub = slowGsub({ lookups: 500, context: 45, glyphs: FEW_LETTERS })
  const file = await writeFont(t, await makeFont({ edit: (tables) => tables.set('GSUB', gsub) }))
  assert.deepEqual(await outcomeOf(startRenderer(t, { timeoutMs: 60_000 }).inspectFont(file)), TOO_SLOW)
})

test('a font is refused that is slow in long texts only, where the lookups look far ahead', async (t) => {
  assert.deepEqual(await inspectWithGsub(t, slowGsub({ lookups: 20, context: 1_500, glyphs: FEW_LETTERS })), TOO_SLOW)
})

test('a font of 4,000 lookups that compare every letter and match nothing is refused before any text is shaped', async (t) => {
  const { code, detail } = await outcomeOf(inspectFont(await writeFont(t, await makeSlow())))
  assert.equal(code, 'font_too_complex')
  assert.notEqual(detail, TOO_SLOW.detail)
})

test('a font with contextual lookups like those of many fonts is accepted', async (t) => {
  assert.equal((await inspectWithGsub(t, slowGsub({ lookups: 40, context: 3 }))).code, 'accepted')
})

test('lookups may call others over a few levels', async (t) => {
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
  test(`a font whose lookups ${what} is refused before any text is shaped`, async (t) => {
    const { code, detail } = await inspectWithGsub(t, gsub)
    assert.equal(code, 'font_too_complex')
    assert.notEqual(detail, TOO_SLOW.detail)
  })
}
