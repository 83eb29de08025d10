import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSigner } from './signer.ts'

test('a signature is valid for its text, its key and in its exact form only', () => {
  const signer = createSigner(() => [Buffer.alloc(32, 1)])
  const signature = signer.sign('text')
  assert.equal(signature.length, 43)
  assert.ok(signer.isValid('text', signature))
  assert.ok(!signer.isValid('texts', signature))
  assert.ok(!createSigner(() => [Buffer.alloc(32, 2)]).isValid('text', signature))
  assert.ok(createSigner(() => [Buffer.alloc(32, 2), Buffer.alloc(32, 1)]).isValid('text', signature))
  assert.ok(!signer.isValid('text', ''))
  // The last character has two unused bits, so other characters decode to the same bytes.
  const same = Buffer.from(signature, 'base64url')
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    const other = `${signature.slice(0, -1)}${last}`
    if (other === signature || !Buffer.from(other, 'base64url').equals(same)) continue
    assert.ok(!signer.isValid('text', other))
  }
})
