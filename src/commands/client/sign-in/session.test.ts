import assert from 'node:assert/strict'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startClientScene, startPlaten } from '../client.fixture.ts'
import { startRecorder } from '../server.fixture.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const KEY = { id: 'key_1', key: 'platen_new', permissions: ['read'], expiresAt: '2030-01-01T00:00:00Z' }

/** Starts a server at which an account can sign in, but not out. @param apiKeys the response to a request for a key */
function startWithoutSignOut(t: TestContext, apiKeys: [number, Record<string, string>, string]) {
  return startRecorder(t, ({ url = '' }) => {
    if (url.endsWith('/login')) return [200, JSON_TYPE, '{"accessToken":"token"}']
    if (url.endsWith('/api-keys')) return apiKeys
    return url.endsWith('/logout') ? [503, JSON_TYPE, '{"code":"unavailable","title":"Later"}'] : [200, JSON_TYPE, '{}']
  })
}

async function logInAt(t: TestContext, origin: string, env: Record<string, string>) {
  const child = startPlaten(t, ['login', '--url', origin, '--email', 'ada@example.com'], env, 'a quiet lake\n')
  return { code: await child.ended, out: child.out(), err: child.err() }
}

test('a session that cannot be ended replaces neither the result of a sign-in nor the reason of a failure', async (t) => {
  const { env, run } = await startClientScene(t)
  const notice =
    'The session of this sign-in could not be ended, and ends when it expires: Later (unavailable, status 503)\n'
  const logIn = (origin: string) => logInAt(t, origin, env)
  const full = await startWithoutSignOut(t, [409, JSON_TYPE, '{"code":"too_many_api_keys","title":"Too many keys"}'])
  const refused = await logIn(full.origin)
  assert.deepEqual(refused, {
    code: 1,
    out: '',
    err: `${notice}platen: Too many keys (too_many_api_keys, status 409)\n`,
  })

  const { origin } = await startWithoutSignOut(t, [201, JSON_TYPE, JSON.stringify(KEY)])
  const stored = await logIn(origin)
  assert.deepEqual([stored.code, stored.err], [0, notice])
  assert.match(stored.out, /^Stored an API key /)
  assert.equal((await run(['api', 'get', '/orders'], { PLATEN_URL: origin })).code, 0)
})

test('a new key that can be neither stored nor revoked is named, with the reason why it is not stored', async (t) => {
  const { env, configHome } = await startClientScene(t)
  const { origin } = await startRecorder(t, ({ url = '', method }) => {
    if (method === 'DELETE') return [503, JSON_TYPE, '{"code":"unavailable","title":"Later"}']
    if (url.endsWith('/login')) return [200, JSON_TYPE, '{"accessToken":"token"}']
    return [200, JSON_TYPE, url.endsWith('/api-keys') ? JSON.stringify(KEY) : '{}']
  })
  const config = join(configHome, 'broken')
  await mkdir(config)
  await symlink(join(config, 'nowhere/platen'), join(config, 'platen'))
  const { code, err } = await logInAt(t, origin, { ...env, XDG_CONFIG_HOME: config })
  assert.equal(code, 1)
  assert.ok(err.startsWith(`The new API key key_1 of ${origin} may stay valid: Later (unavailable, status 503)\n`), err)
  assert.match(err, /^platen: Could not write /m)
})
