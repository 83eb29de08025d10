import assert from 'node:assert/strict'
import { createHash, createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import test from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose'
import { sql } from 'kysely'
import { createDatabase, startService, type TestService } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'

async function status(service: TestService, token: string): Promise<number> {
  const answer = await service.request('GET', '/me', { token })
  if (answer.status === 401) {
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
  }
  return answer.status
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

test('TK-1: an access token follows RFC 9068 and verifies with the published keys', async (t) => {
  const service = await startService(t)
  const { accessToken, userId } = await service.signUp()
  const jwks = (await service.request('GET', `${service.origin}/.well-known/jwks.json`)).body
  const { protectedHeader, payload } = await jwtVerify(accessToken, createLocalJWKSet(jwks), {
    issuer: 'http://platen.localhost',
    audience: 'http://platen.localhost/v1',
    typ: 'at+jwt',
    algorithms: ['EdDSA'],
  })
  assert.equal(typeof protectedHeader.kid, 'string')
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 900)
  assert.equal(payload.sub, userId)
  assert.deepEqual(payload['amr'], ['pwd'])
  for (const claim of ['jti', 'sid', 'auth_time', 'role', 'scope', 'client_id']) assert.ok(claim in payload, claim)
  for (const key of jwks.keys) assert.ok(!('d' in key))
})

test('a token that another node has issued for another public URL is refused and named in the log once', async (t) => {
  const database = await createDatabase(t)
  const service = await startService(t, { database })
  const { accessToken } = await service.signUp()
  const other = await startService(t, {
    env: { PLATEN_PUBLIC_URL: 'http://127.0.0.1:8081' },
    database,
    dataDir: service.config.dataDir,
  })
  for (let count = 0; count < 2; count += 1) assert.equal(await status(other, accessToken), 401)
  const lines = other
    .logLines()
    .split('\n')
    .filter((line) => line.includes('another public URL'))
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"issuer":"http:\/\/platen\.localhost","publicUrl":"http:\/\/127\.0\.0\.1:8081"/)
  // A forged token says nothing about other nodes.
  const [header = '', payload = ''] = accessToken.split('.')
  const third = await startService(t, {
    env: { PLATEN_PUBLIC_URL: 'http://127.0.0.1:8082' },
    database,
    dataDir: service.config.dataDir,
  })
  assert.equal(await status(third, `${header}.${payload}.${'A'.repeat(86)}`), 401)
  assert.doesNotMatch(third.logLines(), /another public URL/)
})

test('TK-2: tokens with forged or stripped signatures are rejected', async (t) => {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  const [header = '', payload = '', signature = ''] = accessToken.split('.')
  const { kid } = decodeProtectedHeader(accessToken)
  const { keys } = (await service.request('GET', `${service.origin}/.well-known/jwks.json`)).body
  const publicKey = keys.find((key: { kid: string }) => key.kid === kid)
  const hs256 = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`
  const keyMaterial = [JSON.stringify(publicKey), publicKey.x, Buffer.from(publicKey.x, 'base64url'), '']
  const elevated = encode({ ...decodeJwt(accessToken), role: 'admin' })
  const forged = [
    `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.`,
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${header}.${elevated}.${signature}`,
    `${encode({ alg: 'EdDSA', typ: 'at+jwt' })}.${payload}.${signature}`,
    ...keyMaterial.map((key) => `${hs256}.${createHmac('sha256', key).update(hs256).digest('base64url')}`),
  ]
  for (const token of forged) assert.equal(await status(service, token), 401, token)
  assert.equal(await status(service, accessToken), 200)
})

test('TK-3: keys and URLs in the header of a token are ignored', async (t) => {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  const calls: string[] = []
  const listener = createServer((request, response) => {
    calls.push(request.url ?? '')
    response.end('{}')
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  t.after(() => listener.close())
  const address = listener.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/keys`
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const own = publicKey.export({ format: 'jwk' })
  const { kid } = decodeProtectedHeader(accessToken)
  const hints = [
    { kid: 'mine', jwk: own },
    { kid: String(kid), jwk: own },
    { kid: String(kid), jku: url, x5u: url },
    { kid: '../../secret.key' },
    { kid: "' or 1=1 --" },
  ]
  for (const hint of hints) {
    const token = await new SignJWT(decodeJwt(accessToken))
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', ...hint } as JWTHeaderParameters)
      .sign(privateKey)
    assert.equal(await status(service, token), 401)
  }
  assert.deepEqual(calls, [])
})

test('TK-4: only an access token of this service is accepted as an access token', async (t) => {
  const service = await startService(t)
  const { accessToken, refreshToken, email, password, userId } = await service.signUp()
  const claims = decodeJwt(accessToken)
  const { keys } = service.services.auth.services
  const { kid, privateKey } = keys.current('access_token')
  const statementKid = keys.current('statement').kid
  const sign = (changes: object, typ = 'at+jwt'): Promise<string> =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'EdDSA', typ, kid }).sign(privateKey)
  assert.equal(await status(service, await sign({})), 200)
  const others = [
    await sign({}, 'JWT'),
    await sign({}, 'id_token+jwt'),
    await sign({ iss: 'https://evil.example' }),
    await sign({ aud: 'https://evil.example' }),
    await sign({ role: 'root' }),
    await sign({ sid: 7 }),
    await sign({ exp: undefined }),
    await service.services.auth.signStatement(claims, { typ: 'at+jwt' }),
    refreshToken,
    await sign({}).then((token) => token.replace(/^[^.]+/, encode({ alg: 'EdDSA', typ: 'at+jwt', kid: statementKid }))),
  ]
  for (const token of others) assert.equal(await status(service, token), 401)

  // Secrets that are only one factor or have another purpose.
  await service.request('POST', '/api/auth/password/forgot', { body: { email } })
  const mailed = await mailedToken(service.request, service.origin, email)
  const oauthCode = randomBytes(32).toString('base64url')
  await sql`update users set mfa_methods = '{totp}' where id = ${userId}`.execute(service.db)
  await sql`insert into oauth_codes (code_hash, user_id, methods, provider, expires_at)
    values (${createHash('sha256').update(oauthCode).digest('hex')}, ${userId}, '{google}', 'google',
      ${new Date(service.clock.now().getTime() + 60_000)})`.execute(service.db)
  const { mfaToken } = (await service.request('POST', '/api/auth/login', { body: { email, password } })).body
  for (const token of [mailed, oauthCode, mfaToken]) {
    assert.equal(typeof token, 'string')
    assert.equal(await status(service, token), 401)
  }
})

test('TK-5: an expired token is rejected, even if it is cached', async (t) => {
  const service = await startService(t)
  const { accessToken, email, password } = await service.signUp()
  const unseen = (await service.request('POST', '/api/auth/login', { body: { email, password } })).body.accessToken
  assert.equal(await status(service, accessToken), 200)
  service.clock.shift(895)
  assert.equal(await status(service, accessToken), 200)
  service.clock.shift(10)
  assert.equal(await status(service, accessToken), 401)
  assert.equal(await status(service, unseen), 401)
})

test('TK-5: malformed credentials get 401, never 5xx', async (t) => {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  const get = (headers: Record<string, string>) => service.request('GET', '/me', { headers })
  const values = ['', 'Bearer', 'Bearer ', `Bearer ${'a'.repeat(20_000)}`, `Basic ${accessToken}`, accessToken]
  for (const authorization of [...values, `Bearer ${accessToken} x`, 'Bearer a.b.c', 'Bearer platen_short']) {
    const answer = await get({ authorization })
    assert.equal(answer.status, 401, authorization.slice(0, 30))
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
  }
  for (const name of ['access_token', 'api_key', 'token']) {
    const answer = await service.request('GET', `/me?${name}=${accessToken}`)
    assert.equal(answer.status, 401)
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm=/)
    assert.ok(!answer.text.includes(accessToken))
  }
  const twice = [`Authorization: Bearer ${accessToken}`, `authorization: Bearer ${accessToken}`]
  assert.match(await raw(service.origin, twice), /^HTTP\/1\.1 401 /)
  assert.match(await raw(service.origin, ['Authorization: Bearer a\0b']), /^HTTP\/1\.1 40[01] /)
  assert.match(await raw(service.origin, twice.slice(0, 1)), /^HTTP\/1\.1 200 /)
})

/** Sends raw header lines, which client libraries would reject or merge. */
async function raw(origin: string, lines: string[]): Promise<string> {
  const { port, hostname } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /v1/me HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}
