import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { type RotationRequest, rotateSigningKeys } from '../auth/keys/rotation/rotate-keys.ts'
import { HELLO, startSignedIn } from '../designs/factory.ts'
import { platen, platenHere } from './platen.fixture.ts'

interface Ran {
  code: number
  output: string
}

async function verifyHere(...args: string[]): Promise<Ran> {
  const { code, err } = await platenHere(['verify', ...args])
  return { code, output: err }
}

/** Runs `platen verify` in a separate process without any settings. */
async function verify(...args: string[]): Promise<Ran> {
  const { code, out, err } = await platen(['verify', ...args])
  return { code, output: `${out}${err}` }
}

/** Finalizes a design and saves its receipt, its files and the service's keys. */
async function openDownloads(t: TestContext) {
  const signed = await startSignedIn(t)
  const { service, token, create } = signed
  const dir = await mkdtemp(join(tmpdir(), 'platen-verify-'))
  t.after(() => rm(dir, { recursive: true }))
  const { body: draft } = await create({ document: HELLO })
  const { body: design } = await service.request('POST', `/designs/${draft.id}/finalize`, { token })
  const save = async (name: string, content: string | Uint8Array): Promise<string> => {
    await writeFile(join(dir, name), content)
    return join(dir, name)
  }
  const download = async (path: string): Promise<Buffer> => {
    const headers = { authorization: `Bearer ${token}` }
    return Buffer.from(
      await (await fetch(`${service.baseUrl}/designs/${design.id}/${path}`, { headers })).arrayBuffer(),
    )
  }
  const receipt = (await download('receipt')).toString('utf8')
  assert.equal(receipt, design.finalization.receipt)
  const saveKeys = async (name: string) =>
    save(name, (await service.request('GET', `${service.origin}/.well-known/jwks.json`)).text)
  return {
    ...signed,
    dir,
    design,
    receipt,
    save,
    saveKeys,
    receiptPath: await save('receipt.jws', `${receipt}\n`),
    print: await save('print.pdf', await download('files/print')),
    preview: await save('preview.webp', await download('files/preview-front')),
    keys: await saveKeys('keys.json'),
  }
}

type Downloads = Awaited<ReturnType<typeof openDownloads>>

/** Rotates the keys as `platen keys rotate` does. */
function rotate({ service }: Downloads, request: Partial<RotationRequest> = {}) {
  const deps = { db: service.db, clock: service.clock, secretFrom: service.config }
  return rotateSigningKeys(deps, { purposes: ['statement'], isForced: true, revoke: false, ...request })
}

test('verifies receipt and files without the service, with any file names in any order', async (t) => {
  const { dir, design, receipt, receiptPath, print, preview, keys } = await openDownloads(t)
  const both = await verify(receiptPath, print, preview, '--jwks', keys)
  const [verdict, issuer] = both.output.split('\n')
  assert.deepEqual(
    [both.code, verdict?.slice(0, 18), issuer],
    [0, 'Genuine. Issued at', 'Issuer: http://platen.localhost'],
  )
  assert.ok(both.output.includes(design.id) && both.output.includes(design.finalization.contentHash))
  assert.match(both.output, /print\.pdf: print file print, SHA-256 [0-9a-f]{64}/)
  const renamed = join(dir, 'photo.jpg')
  await rename(print, renamed)
  const swapped = await verify(receiptPath, preview, renamed, '--jwks', keys)
  assert.equal(swapped.code, 0)
  assert.match(swapped.output, /preview\.webp: preview file preview-front.*\n.*photo\.jpg: print file print/)
  const asItIs = await verifyHere(receipt, preview, '--jwks', keys)
  assert.deepEqual([asItIs.code, asItIs.output], [0, ''])
  const cutOff = await verifyHere(receipt.slice(0, -9), preview, '--jwks', keys)
  assert.equal(cutOff.code, 1)
  assert.ok(!cutOff.output.includes(receipt.slice(0, 40)))
})

test('a receipt stays valid after a rotation and after its price expired, but not after its key was revoked', async (t) => {
  const downloads = await openDownloads(t)
  const { service, receiptPath, print, saveKeys } = downloads
  for (const turn of [1, 2]) {
    await rotate(downloads)
    const { code, output } = await verifyHere(receiptPath, print, '--jwks', await saveKeys('rotated.json'))
    assert.equal(code, 0, `after rotation ${turn}: ${output}`)
  }
  const receipt = async () => {
    const token = await downloads.signInAgain()
    const { body } = await service.request('POST', `/designs/${downloads.design.id}/finalize`, { token })
    return body.finalization.receipt
  }
  service.clock.shift(31 * 24 * 3600)
  const renewed = await downloads.save('renewed.jws', await receipt())
  const now = await saveKeys('later.json')
  for (const path of [receiptPath, renewed]) assert.equal((await verifyHere(path, print, '--jwks', now)).code, 0)

  const rotation = await rotate(downloads, { revoke: true })
  assert.ok(rotation.status === 'rotated')
  const [gone = ''] = rotation.keys[0]?.revoked ?? []
  let revoked = await saveKeys('revoked.json')
  while ((await readFile(revoked, 'utf8')).includes(gone)) revoked = await saveKeys('revoked.json')
  const { code, output } = await verifyHere(renewed, print, '--jwks', revoked)
  assert.equal(code, 1)
  assert.match(output, /^Not genuine\. .*Another service issued it, or the key was revoked\.\n$/)
  // The retired key stays valid, because it cannot have leaked: its private half was destroyed.
  assert.equal((await verifyHere(receiptPath, print, '--jwks', revoked)).code, 0)
})

test('prints why a receipt is not genuine in one line, with exit status 1', async (t) => {
  const downloads = await openDownloads(t)
  const { receipt, save, print, preview, keys, design } = downloads
  const [header = '', payload = '', signature = ''] = receipt.split('.')
  const stranger = await generateKeyPair('EdDSA')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { kid: string }
  const typ = 'platen-receipt+jwt'
  const signed = (protectedHeader: object) =>
    new CompactSign(Buffer.from(payload, 'base64url'))
      .setProtectedHeader({ alg: 'EdDSA', typ, ...protectedHeader } as never)
      .sign(stranger.privateKey)
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const hs256 = `${encode({ alg: 'HS256', typ, kid })}.${payload}`
  const cheaper = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  cheaper.price.priceTiers[0].unitAmount = 1
  const rejected: [what: string, text: string, reason: RegExp][] = [
    ['truncated', receipt.slice(0, -20), /signature does not match|cut off/],
    ['cut in the middle', receipt.slice(0, 200), /cut off/],
    ['empty', '', /cut off/],
    ['another text', 'Dear customer', /cut off/],
    ['changed', [header, encode(cheaper), signature].join('.'), /signature does not match/],
    ['of another issuer', await signed({ kid: 'theirs' }), /not among those of the service/],
    ['signed by another key in the name of ours', await signed({ kid }), /signature does not match/],
    ['without the name of a key', await signed({}), /does not name the key/],
    ['without a signature', `${encode({ alg: 'none', typ, kid })}.${payload}.`, /EdDSA|cut off/],
    [
      'signed with our public key as a secret',
      `${hs256}.${createHmac('sha256', kid).update(hs256).digest('base64url')}`,
      /EdDSA/,
    ],
    ['an access token', downloads.token, /type platen-receipt\+jwt/],
  ]
  for (const [what, text, reason] of rejected) {
    const path = await save('odd.jws', text)
    const { code, output } = await verifyHere(path, print, '--jwks', keys)
    assert.equal(code, 1, `${what}: ${output}`)
    assert.match(output, /^Not genuine\. [^\n]*\n$/, what)
    assert.match(output, reason, what)
  }
  const receiptPath = await save('receipt.jws', receipt)
  const other = await save('other.pdf', 'another file')
  const wrong = await verifyHere(receiptPath, preview, other, '--jwks', keys)
  assert.equal(wrong.code, 1)
  assert.match(wrong.output, /^Not genuine\. File 2 \(SHA-256 [0-9a-f]{64}\) is none of the files/)
  assert.equal(design.status, 'finalized')
})

test("rejects a receipt of another issuer than --issuer before it fetches that issuer's keys", async (t) => {
  const { receiptPath, print, keys } = await openDownloads(t)
  for (const same of ['http://platen.localhost', 'HTTP://Platen.localhost:80/']) {
    assert.equal((await verifyHere(receiptPath, print, '--jwks', keys, '--issuer', same)).code, 0, same)
  }
  const said = 'Not genuine. The receipt names the issuer http://platen.localhost instead of https://print.example.\n'
  const other = await verify(receiptPath, print, '--issuer', 'https://print.example')
  assert.deepEqual([other.code, other.output], [1, said])
  for (const odd of ['print.example', 'https://print.example/path', 'ftp://print.example', '']) {
    const { code, output } = await verifyHere(receiptPath, print, '--jwks', keys, '--issuer', odd)
    assert.deepEqual([code, /--issuer is "[^"]*", which is not an origin/.test(output)], [2, true], odd)
  }
})

test('a receipt signed by an attacker cannot forge the output', async (t) => {
  const { receipt, save, print } = await openDownloads(t)
  const { publicKey, privateKey } = await generateKeyPair('EdDSA')
  const keys = await save('theirs.json', JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'theirs' }] }))
  const genuine = JSON.parse(Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const sign = async (payload: unknown) =>
    save(
      'theirs.jws',
      await new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'EdDSA', typ: 'platen-receipt+jwt', kid: 'theirs' })
        .sign(privateKey),
    )
  const erasing = '\r\u001b[2KIssuer: http://platen.localhost\n'
  const issuers = [`http://evil/${erasing}`, 'http://evil/', 'http://Evil', 'http://a@evil', 'blob:http://evil', 'evil']
  for (const iss of issuers) {
    const { code, output } = await verifyHere(await sign({ ...genuine, iss }), print, '--jwks', keys)
    assert.deepEqual(
      [code, output],
      [1, 'Not genuine. The receipt is not genuine: its issuer is not an origin such as https://print.example.\n'],
    )
  }
  const { design, price } = genuine
  const shapeless = [
    null,
    'text',
    { iss: 'http://evil' },
    { ...genuine, iat: 1e300 },
    { ...genuine, files: [null] },
    { ...genuine, design: { ...design, revision: erasing } },
    { ...genuine, price: { ...price, validUntil: 'soon' } },
  ]
  for (const payload of shapeless) {
    const { code, output } = await verifyHere(await sign(payload), print, '--jwks', keys)
    assert.deepEqual(
      [code, /its statement does not have the members of a receipt/.test(output)],
      [1, true],
      JSON.stringify(payload),
    )
  }
  const sub = `${erasing}\u009b2K\u202e\u2028`
  const { code, output } = await verify(await sign({ ...genuine, iss: 'http://evil', sub }), print, '--jwks', keys)
  assert.equal(code, 0)
  assert.deepEqual(output.match(/^Issuer: .*$/gm), ['Issuer: http://evil'])
  assert.doesNotMatch(output, /(?!\n)[\p{Cc}\p{Zl}\p{Bidi_Control}]/u)
  assert.ok(output.includes('for user \\u{d}\\u{1b}[2KIssuer'))
})

test('exits with status 2 and a hint if it cannot verify', async (t) => {
  const { dir, receiptPath, print, save, keys } = await openDownloads(t)
  const unknown = await save('names-nobody.jws', 'a.b.c')
  const cases: [what: string, args: string[], message: RegExp][] = [
    ['no file', [receiptPath], /Missing required argument 'file'/],
    ['no such receipt', [join(dir, 'none'), print, '--jwks', keys], /none cannot be read/],
    ['no such file', [receiptPath, join(dir, 'none.pdf'), '--jwks', keys], /none\.pdf cannot be read/],
    ['no such keys', [receiptPath, print, '--jwks', join(dir, 'none.json')], /none\.json cannot be read/],
    ['keys that are none', [receiptPath, print, '--jwks', print], /cannot be read from .*print\.pdf.*--jwks/s],
    [
      'a key set without keys',
      [receiptPath, print, '--jwks', await save('empty.json', '{}')],
      /not a JSON Web Key Set/,
    ],
    [
      'keys that would erase the line',
      [receiptPath, print, '--jwks', await save('erasing.json', '\u001b[2K')],
      /^[^\p{Cc}]*\\u\{1b\}\[2K[^\p{Cc}]*\n$/u,
    ],
    // No server listens at the URL of the issuer of the test.
    ['an issuer that is down', [receiptPath, print], /keys cannot be read from http:\/\/platen\.localhost.*--jwks/],
  ]
  for (const [what, args, message] of cases) {
    const { code, output } = await verifyHere(...args)
    assert.equal(code, 2, `${what}: ${output}`)
    assert.match(output, message, what)
  }
  const { code, output } = await verify(unknown, print)
  assert.deepEqual([code, output], [1, 'Not genuine. This is not a receipt, because it names no issuer.\n'])
  assert.equal((await verify(join(dir, 'none'), print, '--jwks', keys)).code, 2)
})
