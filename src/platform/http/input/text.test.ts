import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TString } from 'typebox'
import { line, paragraph } from './text.ts'

const accepts = (kind: TString, text: string) => new RegExp(String(Reflect.get(kind, 'pattern')), 'u').test(text)

test('a line of text has a visible character and no control characters, line breaks or bidirectional controls', () => {
  const turning = ['\u202a', '\u202e', '\u2066', '\u2069']
  for (const kind of [line(100), paragraph(100)]) {
    for (const text of ['Rückseite 2×', 'أهلا', 'नमस्ते', '👩‍🚀', '—']) assert.ok(accepts(kind, text), text)
    for (const text of [...turning.map((sign) => `DHL${sign}1`), 'a\u0000b', 'a\u007fb', '', ' ', '\u200b', '\u3164']) {
      assert.ok(!accepts(kind, text), JSON.stringify(text))
    }
  }
  for (const text of ['a\nb', 'a\u2028b']) assert.ok(!accepts(line(100), text))
  assert.ok(accepts(paragraph(100), 'a\r\n\tb'))
})
