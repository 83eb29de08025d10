import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { startService } from '../../../test/harness.ts'
import { addPasskey, createPasskey, signWithPasskey } from '../../../test/lib/software-authenticator.ts'

const LOGIN = '/api/auth/webauthn/login'
const REGISTER = '/api/auth/webauthn/register'

interface Credential {
  response: object
}

/** A change that makes one member of a credential or of its `response` invalid. */
interface Change {
  place: 'credential' | 'response'
  key: string
  damage: (value: unknown) => unknown
}

const OUTER = ['id', 'rawId', 'type', 'response', 'authenticatorAttachment', 'clientExtensionResults']

function apply({ place, key, damage }: Change, credential: Credential): Credential {
  const whole = place === 'credential' ? credential : credential.response
  const damaged = { ...whole, [key]: damage((whole as Record<string, unknown>)[key]) }
  return place === 'credential' ? (damaged as unknown as Credential) : { ...credential, response: damaged }
}

function flip(value: unknown, at: number, bit: number): unknown {
  if (typeof value !== 'string') return null
  const bytes = Buffer.from(value, 'base64url')
  const place = at % bytes.length
  bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place)
  return bytes.toString('base64url')
}

const damages: fc.Arbitrary<Change['damage']> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(), fc.nat(7)).map(
      ([at, bit]) =>
        (value: unknown) =>
          flip(value, at, bit),
    ),
  },
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => () => Buffer.from(bytes).toString('base64url')),
  fc.nat().map((at) => (value: unknown) => (typeof value === 'string' ? value.slice(0, at % value.length) : [])),
  fc.string().map((text) => () => text),
  fc.jsonValue({ maxDepth: 3 }).map((json) => () => json),
  fc.constant(() => undefined),
  fc.constant(() => 'A'.repeat(20_000)),
)

const changes = (inner: string[]): fc.Arbitrary<Change> =>
  fc.oneof(
    fc.record({ place: fc.constant('credential' as const), key: fc.constantFrom(...OUTER), damage: damages }),
    fc.record({ place: fc.constant('response' as const), key: fc.constantFrom(...inner), damage: damages }),
  )

test('WA-3: a damaged assertion is rejected without effect', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '100000' } })
  const { accessToken } = await service.signUp()
  const { passkey } = await addPasskey(service, accessToken, { counter: 0 })
  const members = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']
  await fc.assert(
    fc.asyncProperty(changes(members), async (change) => {
      const { challengeId, publicKey } = (await service.request('POST', LOGIN)).body
      const credential = apply(change, signWithPasskey(passkey, publicKey))
      const { status } = await service.request('POST', `${LOGIN}/verify`, { body: { challengeId, credential } })
      const isUnused = ['authenticatorAttachment', 'clientExtensionResults'].includes(change.key)
      assert.ok((isUnused ? [200, 400] : [400, 401]).includes(status), `${status} ${change.key}`)
    }),
    { numRuns: 150 },
  )
})

test('WA-3: a signature with altered DER framing or trailing bytes is rejected', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '100000' } })
  const { accessToken } = await service.signUp()
  const { passkey } = await addPasskey(service, accessToken, { counter: 0 })
  const bits = [0, 1, 2, 3, 4, 5, 6, 7]
  const damages = [0, 1].flatMap((at) => bits.map((bit) => (value: unknown) => flip(value, at, bit)))
  const followed = (value: unknown) => Buffer.concat([Buffer.from(`${value}`, 'base64url'), Buffer.alloc(1)])
  for (const damage of [...damages, (value: unknown) => followed(value).toString('base64url')]) {
    const { challengeId, publicKey } = (await service.request('POST', LOGIN)).body
    const credential = apply({ place: 'response', key: 'signature', damage }, signWithPasskey(passkey, publicKey))
    const { status } = await service.request('POST', `${LOGIN}/verify`, { body: { challengeId, credential } })
    assert.equal(status, 401, String(damages.indexOf(damage)))
  }
})

test('WA-3: a damaged new passkey has no effect', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  await fc.assert(
    fc.asyncProperty(changes(['clientDataJSON', 'attestationObject', 'transports']), async (change) => {
      const { challengeId, publicKey } = (await service.request('POST', REGISTER, { token })).body
      const { credential: honest } = createPasskey(service.config.origin, publicKey, { attestation: 'packed' })
      const credential = apply(change, honest)
      const { status } = await service.request('POST', `${REGISTER}/verify`, {
        token,
        body: { challengeId, credential },
      })
      // The service neither verifies nor reads some parts of an attestation.
      const isUnused = ['authenticatorAttachment', 'clientExtensionResults', 'transports'].includes(change.key)
      const mayPass = isUnused || change.key === 'attestationObject'
      assert.ok([400, 422, ...(mayPass ? [201] : [])].includes(status), `${status} ${change.key}`)
      await service.db.deleteFrom('passkeys').execute()
    }),
    { numRuns: 150 },
  )
})

test('malformed passkey requests get 400', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const bodies = [
    undefined,
    null,
    [],
    {},
    { challengeId: 1, credential: {} },
    { challengeId: 'chl_x', credential: 'x' },
  ]
  for (const path of [`${REGISTER}/verify`, `${LOGIN}/verify`]) {
    for (const body of bodies) {
      const { status } = await service.request('POST', path, { token, body })
      assert.ok([400, 415].includes(status), `${path} ${JSON.stringify(body)}: ${status}`)
    }
  }
  for (const path of [REGISTER, LOGIN]) {
    assert.equal(
      (await service.request('POST', path, { token, body: { userVerification: 'discouraged' } })).status,
      400,
    )
  }
})
