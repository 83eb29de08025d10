import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'

/** Returns the log line for an object. */
function logged(fields: object): string {
  let text = ''
  const destination = { write: (line: string) => (text += line) } as unknown as NodeJS.WritableStream
  createLog({ level: 'info', destination }).error(fields, 'failed')
  return text
}

test('secrets do not reach the log, even one or two levels deep', () => {
  const secret = 'hunter2hunter2'
  const text = logged({
    password: secret,
    body: { refreshToken: secret },
    request: { headers: { authorization: secret } },
  })
  assert.doesNotMatch(text, /hunter2/)
})

test('the values of a rejected row do not reach the log', () => {
  const error = Object.assign(new Error('violates check constraint'), {
    code: '23514',
    detail: 'Failing row contains (usr_1, $argon2id$hash).',
    where: 'COPY users, line 1: "$argon2id$hash"',
  })
  const text = logged({ err: error })
  assert.match(text, /violates check constraint/)
  assert.doesNotMatch(text, /argon2id/)
})
