import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Fault } from '../../../test/fakes/sign-in/authorization-server.ts'
import { newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { startGithub } from '../../../test/fakes/sign-in/github.ts'
import { startGoogle } from '../../../test/fakes/sign-in/google.ts'
import { startService } from '../../../test/harness.ts'
import { readConfig } from '../../config/index.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { openProviders } from './open-providers.ts'

const FAULTS: Readonly<Record<Exclude<Fault, 'silent'>, 'provider_unavailable' | 'provider_answer_invalid'>> = {
  down: 'provider_unavailable',
  reset: 'provider_unavailable',
  html: 'provider_answer_invalid',
  list: 'provider_answer_invalid',
  huge: 'provider_answer_invalid',
  not_utf8: 'provider_answer_invalid',
  redirect: 'provider_answer_invalid',
  error: 'provider_answer_invalid',
  refusal: 'provider_answer_invalid',
}

const STATUS = { provider_unavailable: 503, provider_answer_invalid: 401 } as const

async function startWithProviders(t: TestContext) {
  const google = await startGoogle(t)
  const github = await startGithub(t)
  const service = await startService(t, { env: { ...google.env, ...github.env } })
  return { google, github, service }
}

test('OA-4: an outage or an invalid response of a provider fails the sign-in with its own code', async (t) => {
  const { google, github, service } = await startWithProviders(t)
  for (const [name, fake, paths] of [
    ['google', google, ['/token', '/oauth2/v3/certs']],
    ['github', github, ['/login/oauth/access_token', '/api/user', '/api/user/emails']],
  ] as const) {
    for (const path of paths) {
      for (const [fault, code] of Object.entries(FAULTS)) {
        // A profile without a verified email address is rejected with another code.
        if (path === '/api/user/emails' && fault === 'list') continue
        fake.faults.set(path, fault as Fault)
        const answer = await newBrowser(service).signIn(name)
        const seen = [answer.status, answer.body.code, answer.headers.get('retry-after') !== null]
        const expected = code as keyof typeof STATUS
        assert.deepEqual(seen, [STATUS[expected], code, code === 'provider_unavailable'], `${path} ${fault}`)
        fake.faults.clear()
      }
    }
    assert.ok(!fake.requests.some((request) => request.includes('/internal')), 'a redirect was followed')
  }
  const { rows } = await sql`select from users`.execute(service.db)
  assert.equal(rows.length, 0)
  assert.ok(!service.logLines().includes('script'), 'words of the provider in the log')
  for (const provider of ['google', 'github']) assert.equal((await newBrowser(service).signIn(provider)).status, 200)
})

test('OA-1: Google is unavailable until its discovery succeeds', async (t) => {
  const { google, service } = await startWithProviders(t)
  for (const fault of Object.keys(FAULTS)) {
    google.faults.set('/.well-known/openid-configuration', fault as Fault)
    const answer = await service.request('GET', '/api/auth/google')
    assert.deepEqual([answer.status, answer.body.code], [503, 'provider_unavailable'], fault)
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal(answer.headers.get('set-cookie'), null)
  }
  google.faults.clear()
  assert.equal((await newBrowser(service).signIn('google')).status, 200)
  const asked = google.requests.filter((request) => request.endsWith('openid-configuration')).length
  assert.equal((await newBrowser(service).signIn('google')).status, 200)
  assert.equal(google.requests.filter((request) => request.endsWith('openid-configuration')).length, asked)
})

// Without this limit, the library's own timeout of 30 s would apply.
test('a request to a provider that does not respond times out', { timeout: 20_000 }, async (t) => {
  const google = await startGoogle(t)
  const github = await startGithub(t)
  const config = readConfig({ ...google.env, ...github.env })
  const log = createLog({ level: 'silent' })
  const providers = openProviders(config, { log, timeoutSeconds: 0.1 })
  const secrets = { state: 'state', verifier: 'v'.repeat(43), nonce: 'nonce' }
  const callback = new URL('http://127.0.0.1:8080/callback?code=a&state=state')
  const unavailable = { code: 'provider_unavailable', status: 503 }
  google.faults.set('/.well-known/openid-configuration', 'silent')
  await assert.rejects(
    async () => providers.get('google')?.authorizationUrl(secrets, { authenticatesAgain: false }),
    unavailable,
  )
  google.faults.clear()
  google.faults.set('/token', 'silent')
  await assert.rejects(async () => providers.get('google')?.readProfile(callback, secrets), unavailable)
  github.faults.set('/login/oauth/access_token', 'silent')
  await assert.rejects(async () => providers.get('github')?.readProfile(callback, secrets), unavailable)
})

test('production requires HTTPS URLs of providers', () => {
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com' }
  const google = { PLATEN_GOOGLE_CLIENT_ID: 'id', PLATEN_GOOGLE_CLIENT_SECRET: 'secret' }
  const github = { PLATEN_GITHUB_CLIENT_ID: 'id', PLATEN_GITHUB_CLIENT_SECRET: 'secret' }
  assert.equal(
    readConfig({ ...production, ...google, ...github }).presetProviders.google?.issuer,
    'https://accounts.google.com',
  )
  for (const [name, client] of [
    ['PLATEN_GOOGLE_ISSUER', google],
    ['PLATEN_GITHUB_URL', github],
    ['PLATEN_GITHUB_API_URL', github],
  ] as const) {
    const env = { ...production, ...client, [name]: 'http://provider.example.com' }
    assert.throws(() => readConfig(env), {
      name: 'ConfigError',
      message: new RegExp(`^${name} must start with https:`),
    })
  }
})
