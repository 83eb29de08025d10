import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrigins } from './origins.ts'

test('a pattern admits subdomains of one scheme and port, never the domain itself or another one', () => {
  const origins = createOrigins(['https://*.example.com', 'http://*.localhost:5173', 'https://shop.test'])
  for (const origin of ['https://a.example.com', 'https://a-1.b.example.com', 'http://shop.localhost:5173']) {
    assert.ok(origins.has(origin), origin)
  }
  const others = [
    'https://example.com',
    'https://.example.com',
    'https://a..example.com',
    'http://a.example.com',
    'https://a.example.com:8443',
    'https://a.example.com.evil.test',
    'https://aexample.com',
    'https://a.exampleXcom',
    'https://evil.test/.example.com',
    'https://evil.test#.example.com',
    'https://user@a.example.com',
    'https://a_b.example.com',
    'https://A.example.com',
    'https://a.example.com\n',
    'http://shop.localhost',
    'null',
    '',
    'https://sub.shop.test',
  ]
  for (const origin of others) assert.ok(!origins.has(origin), origin)
  assert.ok(origins.has('https://shop.test'))
})
