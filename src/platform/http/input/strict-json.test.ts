import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../problem.ts'
import { parseStrictJson } from './strict-json.ts'

function parse(text: string): unknown {
  return parseStrictJson(Buffer.from(text))
}

function refusal(body: string | Buffer): { code: string; pointer: unknown } {
  try {
    parseStrictJson(Buffer.from(body))
  } catch (error) {
    assert.ok(error instanceof Problem)
    return { code: error.code, pointer: error.extras.errors?.[0]?.pointer }
  }
  return assert.fail(`accepted: ${body.toString().slice(0, 80)}`)
}

test('parses every JSON text as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      // Skips generated texts that the parser rejects on purpose.
      fc.pre(
        !/\\u0000|__proto__|"constructor"|"prototype"/.test(text) && JSON.stringify(JSON.parse(text)).isWellFormed(),
      )
      assert.deepEqual(parse(text), JSON.parse(text))
    }),
  )
})

test('a duplicate name in an object is rejected, even if it is escaped differently', () => {
  assert.equal(refusal('{"a":1,"a":2}').code, 'malformed_json')
  assert.equal(refusal('{"x":[{"a":1,"\\u0061" : 2}]}').code, 'malformed_json')
  assert.deepEqual(parse('{"a":{"a":"\\"a\\":1"},"b":{"a":2}}'), { a: { a: '"a":1' }, b: { a: 2 } })
})

test('names such as __proto__ are rejected with their pointer', () => {
  assert.equal(refusal('{"a":{"__proto__":{"admin":true}}}').pointer, '/a/__proto__')
  assert.equal(refusal('{"constructor":{"prototype":{}}}').pointer, '/constructor')
})

test('text that the database cannot store is rejected with its pointer', () => {
  assert.equal(refusal('{"a/b":["x\\u0000y"]}').pointer, '/a~1b/0')
  assert.equal(refusal('{"a":"\\ud800"}').pointer, '/a')
  assert.equal(refusal('{"a\\u0000":1}').code, 'malformed_json')
})

test('deep nesting is rejected and does not exhaust the stack', () => {
  assert.equal(refusal(`${'['.repeat(65)}${']'.repeat(65)}`).code, 'malformed_json')
  assert.equal(refusal(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).code, 'malformed_json')
})

test('deep nesting is rejected before the text is parsed', (t) => {
  const parser = t.mock.method(JSON, 'parse')
  assert.equal(refusal('['.repeat(1024 * 1024)).code, 'malformed_json')
  assert.equal(refusal('{"a":'.repeat(65)).code, 'malformed_json')
  assert.equal(parser.mock.callCount(), 0)
})

test('brackets in strings and closed brackets do not count as nesting', () => {
  const texts = { '[{': '\\"[{'.repeat(100), closed: Array(100).fill([]), end: '\\' }
  assert.deepEqual(parse(JSON.stringify(texts)), texts)
  assert.ok(Array.isArray(parse(`${'['.repeat(64)}${']'.repeat(64)}`)))
})

test('bytes that are not UTF-8 are rejected and not replaced', () => {
  assert.equal(refusal(Buffer.from('{"password":"pässword"}', 'latin1')).code, 'malformed_json')
  assert.equal(refusal(Buffer.from('{"a":1}', 'utf16le')).code, 'malformed_json')
})

test('too many values are rejected before the body is parsed, and commas in strings do not count', (t) => {
  const parser = t.mock.method(JSON, 'parse')
  assert.equal(refusal(`{"a":[${'0,'.repeat(100_000)}0]}`).code, 'malformed_json')
  assert.equal(parser.mock.callCount(), 0)
  const text = ','.repeat(200_000)
  assert.deepEqual(parse(JSON.stringify([text, '\\",'])), [text, '\\",'])
})

test('too many values are rejected before validation', () => {
  assert.equal(refusal(`[${'0,'.repeat(100_000)}0]`).code, 'malformed_json')
  assert.equal((parse(`[${'0,'.repeat(99_000)}0]`) as unknown[]).length, 99_001)
  assert.throws(() => parseStrictJson(Buffer.from('[0,[0]]'), 3), { code: 'malformed_json' })
  assert.deepEqual(parseStrictJson(Buffer.from('[0,[0]]'), 4), [0, [0]])
})
