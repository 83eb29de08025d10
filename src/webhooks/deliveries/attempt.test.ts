import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAttempt } from './attempt.ts'

test('a stored response has no control characters, which take six times as many bytes', () => {
  const response = { status: 200, headers: { odd: 'a\u0001' }, body: '\0\u001b[31m\tred\r\n', truncated: false }
  const sent = { at: new Date(), url: 'https://receiver.example/', signature: 'v1,secret' }
  const { responseBody, responseHeaders } = toAttempt({ kind: 'answered', durationMs: 1, ...response }, sent)
  assert.deepEqual([responseBody, responseHeaders], ['\ufffd\ufffd[31m\tred\ufffd\n', { odd: 'a\ufffd' }])
})
