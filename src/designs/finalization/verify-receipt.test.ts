import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { calculateJwkThumbprint, decodeProtectedHeader } from 'jose'
import { newId } from '../../../test/ids.ts'
import { documentOf, openWorkshop, requestOf, textLayer } from '../factory.ts'
import type { FinalizationFile } from '../files/stored-file.ts'
import { finalizeDesign } from './finalize-design.ts'
import { issuerKeysUrl, verifyReceipt } from './verify-receipt.ts'

async function openWithReceipt(t: TestContext) {
  const { deps, jwks, addProduct, addDesign } = await openWorkshop(t)
  const ownerId = newId('user')
  const design = await addDesign(await addProduct(), ownerId, documentOf([textLayer('Hello')]))
  const { finalization } = await finalizeDesign(deps, requestOf(design))
  assert.ok(finalization !== null)
  const files = JSON.parse(finalization.filesJson) as FinalizationFile[]
  const bytes = await Promise.all(files.map(async ({ sha256 }) => readFile(await deps.storage.localPath(sha256))))
  return { deps, ownerId, design, finalization, receipt: finalization.price.receipt, jwks: jwks(), files, bytes }
}

test('a receipt states what was finalized, for whom, when, at what price, and with which files', async (t) => {
  const { ownerId, design, finalization, receipt, jwks, files, bytes } = await openWithReceipt(t)
  const { statement, files: matched } = await verifyReceipt(`${receipt}\n`, jwks, bytes)
  assert.deepEqual(matched, files)
  assert.deepEqual(statement, {
    iss: 'https://print.example',
    sub: ownerId,
    iat: Math.floor(finalization.finalizedAt.getTime() / 1000),
    amr: ['pwd'],
    auth_time: 1_790_000_000,
    design: { id: design.id, revision: 1 },
    finalization: {
      id: finalization.id,
      contentHash: finalization.contentHash,
      finalizedAt: finalization.finalizedAt.toISOString(),
    },
    files,
    price: {
      priceTiers: JSON.parse(finalization.price.priceTiersJson),
      currency: 'EUR',
      validUntil: finalization.price.validUntil.toISOString(),
    },
  })
  assert.equal(issuerKeysUrl(receipt), 'https://print.example/.well-known/jwks.json')
})

test('a file that differs in one byte is not a file of the receipt', async (t) => {
  const { receipt, jwks, bytes } = await openWithReceipt(t)
  const [print = Buffer.alloc(0), preview = Buffer.alloc(0)] = bytes
  const changed = Buffer.from(preview)
  changed.writeUInt8(changed.readUInt8(100) ^ 1, 100)
  await assert.rejects(verifyReceipt(receipt, jwks, [print, changed]), /File 2 .* is none of the files/)
})

test('a receipt that was changed, signed by another key or made for another purpose is refused', async (t) => {
  const { deps, receipt, jwks } = await openWithReceipt(t)
  const [header = '', payload = '', signature = ''] = receipt.split('.')
  const cheaper = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { price: { priceTiers: unknown } }
  cheaper.price.priceTiers = [{ minQuantity: 1, unitAmount: 1 }]
  const changed = [header, Buffer.from(JSON.stringify(cheaper)).toString('base64url'), signature].join('.')
  const stranger = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const { kid = await calculateJwkThumbprint(stranger) } = decodeProtectedHeader(receipt)
  const strangers = { keys: [{ ...stranger, kty: 'OKP', kid, alg: 'EdDSA' }] }
  const otherKind = await deps.signStatement({ sub: 'somebody' }, { typ: 'at+jwt' })
  const attempts = [
    [changed, jwks],
    [receipt, strangers],
    [otherKind, jwks],
    ['', jwks],
    ['not a receipt', jwks],
  ] as const
  for (const [text, keys] of attempts) {
    await assert.rejects(verifyReceipt(text, keys, []), { name: 'ReceiptRejected', message: /not genuine/ })
  }
})

test('a text without an issuer is rejected', () => {
  for (const text of ['', 'a.b.c', 'x'.repeat(1000)]) {
    assert.throws(() => issuerKeysUrl(text), { name: 'ReceiptRejected' })
  }
})
