import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startClientScene, startPlaten } from '../client.fixture.ts'
import { startRecorder } from '../server.fixture.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

test('a response that no Platen service sends is an error without a stack', async (t) => {
  const { run } = await startClientScene(t)
  const cases: [number, string, RegExp][] = [
    [200, '\u001b[31mnot json', /did not respond with JSON/],
    [400, '{"code":"x","title":"T","errors":"boom"}', /^platen: T \(x, status 400\)\n$/],
    [400, '{"code":"x","title":"T","errors":[null,[],{"detail":1,"pointer":{}},{"detail":"d"}]}', / {2}\n {2}d\n$/],
    [400, '{"code":{"toString":1},"title":["T"],"detail":1}', /^platen: Bad Request \(status_400, status 400\)\n$/],
    [401, '{"code":"x","title":"T","status":404}', /^platen: T \(x, status 401\)\n$/],
    [400, '["T"]', /^platen: Bad Request \(status_400, status 400\)\n$/],
  ]
  for (const [status, body, message] of cases) {
    const { origin } = await startRecorder(t, () => [status, JSON_TYPE, body])
    const { code, err } = await run(['api', 'get', '/x'], { PLATEN_URL: origin, PLATEN_API_KEY: 'platen_mine' })
    assert.equal(code, 1, body)
    assert.match(err, message, body)
    assert.doesNotMatch(err, /^ {4}at /m, body)
  }
  const { origin } = await startRecorder(t, () => [200, JSON_TYPE, '{"data":[],"nextCursor":{}}'])
  const paged = await run(['api', 'get', '/x', '--all'], { PLATEN_URL: origin, PLATEN_API_KEY: 'platen_mine' })
  assert.match(paged.err, /does not return a list with pages/)
})

test('a response that is interrupted is an error without a stack', async (t) => {
  const { run } = await startClientScene(t)
  const { origin } = await startRecorder(t, () => [
    200,
    { ...JSON_TYPE, 'content-length': '9', connection: 'close' },
    '{"a":',
  ])
  for (const args of [
    ['api', 'get', '/x'],
    ['api', 'get', '/x', '--all'],
  ]) {
    const { code, err } = await run(args, { PLATEN_URL: origin, PLATEN_API_KEY: 'platen_mine' })
    assert.deepEqual([code, err.startsWith(`platen: The response of ${origin} is incomplete: `)], [1, true], err)
    assert.doesNotMatch(err, /^ {4}at /m)
  }
})

test('a sign-in at a server that is no Platen service stores nothing', async (t) => {
  const { env, run } = await startClientScene(t)
  const signedIn = '{"accessToken":"token"}'
  const cases: Record<string, string>[] = [
    { login: '' },
    { login: '{}' },
    { login: '{"accessToken":"line\\nbreak"}' },
    { login: '{"mfaToken":"m","methods":"totp"}' },
    { login: '{"mfaToken":"m","methods":["totp"]}', verify: '[]' },
    { login: signedIn, me: '', 'api-keys': '' },
    { login: signedIn, 'api-keys': '{"id":"key_1","key":"line\\nbreak","permissions":[],"expiresAt":"2030-01-01"}' },
    { login: signedIn, 'api-keys': '{"id":"key_1","key":"k","permissions":"read","expiresAt":"2030-01-01"}' },
  ]
  for (const bodies of cases) {
    const { origin } = await startRecorder(t, ({ url = '' }) => [
      200,
      JSON_TYPE,
      bodies[url.split('/').at(-1) ?? ''] ?? '{}',
    ])
    const args = ['login', '--url', origin, '--email', 'ada@example.com']
    const child = startPlaten(t, args, env, 'a quiet lake\n123456\n')
    assert.equal(await child.ended, 1)
    assert.equal(child.err(), `platen: The response of ${origin} is not that of a Platen service. Check the origin.\n`)
  }
  assert.match((await run(['logout'])).err, /The profile "default" does not exist/)
})
