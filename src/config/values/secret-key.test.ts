import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../index.ts'

test('the secret of the service is read from a setting or a file, in base64url and base64', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platen-secret-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'secret.key')
  const secret = randomBytes(32)
  assert.equal(readConfig({}).secretKey, undefined)
  for (const encoding of ['base64url', 'base64'] as const) {
    const text = secret.toString(encoding)
    assert.equal(readConfig({ PLATEN_SECRET_KEY: text }).secretKey, secret.toString('base64url'))
    await writeFile(path, `${text}\n`)
    assert.equal(readConfig({ PLATEN_SECRET_KEY_FILE: path }).secretKey, secret.toString('base64url'))
  }
  const both = { PLATEN_SECRET_KEY: secret.toString('base64'), PLATEN_SECRET_KEY_FILE: path }
  assert.throws(() => readConfig(both), /PLATEN_SECRET_KEY_FILE is set beside PLATEN_SECRET_KEY/)
})

test('what cannot be a secret is refused, and no message repeats it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platen-secret-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'secret.key')
  for (const text of ['correct horse battery staple', randomBytes(31).toString('base64'), 'A'.repeat(44)]) {
    await writeFile(path, text)
    for (const env of [{ PLATEN_SECRET_KEY: text }, { PLATEN_SECRET_KEY_FILE: path }]) {
      assert.throws(
        () => readConfig(env),
        ({ message }: Error) => /secret: expected 32 random bytes in base64/.test(message) && !message.includes(text),
      )
    }
  }
  const secret = randomBytes(32).toString('base64url')
  assert.throws(
    () => readConfig({ PLATEN_SECRET_KEY_FILE: secret }),
    ({ message }: Error) => /is a secret and not a path/.test(message) && !message.includes(secret),
  )
  assert.throws(() => readConfig({ PLATEN_SECRET_KEY_FILE: join(folder, 'none') }), /cannot be read: ENOENT/)
})
