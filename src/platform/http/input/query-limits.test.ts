import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery, requireShortQuery } from './query-limits.ts'

const queryOf = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')

test('a query of more than 100 parameters is refused, and its rest is not parsed', () => {
  requireShortQuery('/things')
  requireShortQuery(`/a&b?${queryOf(100)}`)
  assert.throws(() => requireShortQuery(`/things?${queryOf(101)}`), { code: 'malformed_request', message: /101/ })
  assert.throws(() => requireShortQuery(`/things?${'&'.repeat(20_000)}`), { code: 'malformed_request' })
  assert.equal(Object.keys(parseQuery(queryOf(8_000))).length, 100)
})

test('a query is decoded as that of a form', () => {
  assert.deepEqual(
    { ...parseQuery('a=1&a=2&b=x+y%20%C3%A4&c&metadata[k]=%zz&__proto__=1') },
    {
      a: ['1', '2'],
      b: 'x y ä',
      c: '',
      'metadata[k]': '%zz',
      ['__proto__']: '1',
    },
  )
})
