import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTransport } from 'nodemailer'
import { withTimeouts } from './smtp.ts'

test('a mail server has time limits, which the setting can change', () => {
  const bounded = withTimeouts('smtp://user:p%40ss@mail.example.com:587?socketTimeout=5000')
  const { socketTimeout, connectionTimeout, auth } = Reflect.get(createTransport(bounded).transporter, 'options')
  assert.deepEqual([socketTimeout, connectionTimeout, auth?.pass], [5_000, 10_000, 'p@ss'])
})
