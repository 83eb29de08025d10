import assert from 'node:assert/strict'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDir, untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { emit } from '../../platform/outbox/index.ts'
import { startClientScene, startPlaten, withEnvironment } from './client.fixture.ts'
import { storeProfile } from './requests/profiles.ts'
import { startRecorder } from './server.fixture.ts'

test('platen api', async (t) => {
  const scene = await startClientScene(t)
  const { run, newKey, service } = scene
  const { env, token, userId } = await newKey()
  const folder = await temporaryDir(t)

  await t.test('prints the JSON of the response, with control characters of customers escaped', async () => {
    const hostile = JSON.stringify({ description: 'a\u009bb' })
    const { origin } = await startRecorder(t, () => [200, { 'content-type': 'application/json' }, hostile])
    const shown = await run(['api', 'get', '/orders'], { ...env, PLATEN_URL: origin })
    assert.deepEqual([shown.code, JSON.parse(shown.out).description], [0, 'a\u009bb'])
    assert.doesNotMatch(shown.out, /\u009b/)
    const { code, out } = await run(['api', 'GET', '/v1/products?limit=1'], env)
    const { body } = await service.request('GET', '/products?limit=1', { token })
    assert.deepEqual([code, JSON.parse(out)], [0, body])
    const endpoint = { token, body: { url: 'https://example.com/' } }
    const created = await service.request('POST', '/webhook-endpoints', endpoint)
    const deleted = await run(['api', 'delete', `/webhook-endpoints/${created.body.id}`], env)
    assert.deepEqual([deleted.code, deleted.out, deleted.err], [0, '', ''])
  })

  await t.test('prints a problem with the places of its faults to standard error, with status 1', async () => {
    const { code, out, err } = await run(['api', 'post', '/designs', '--data', '{"name":1}'], env)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^platen: .* \(validation_failed, status 400\)\n/)
    assert.match(err, /^ {2}\/name: .+$/m)
    assert.match(err, /^ {2}\/productId: .+$/m)
    assert.match(err, /^Request id: .+$/m)
    const wrong = await run(['api', 'get', '/orders?limit=1000'], env)
    assert.match(wrong.err, /^ {2}parameter limit: /m)
    const weak = await newKey({ permissions: ['orders:read'] })
    const refused = await run(['api', 'get', '/designs'], weak.env)
    assert.match(refused.err, /^permission: designs:read$/m)
    assert.doesNotMatch(`${err}${wrong.err}${refused.err}`, /^(type|instance|pointer|parameter): /m)
    const unreachable = await run(['api', 'get', '/orders', '--url', 'http://127.0.0.1:1'], env)
    assert.equal(unreachable.code, 1)
    assert.match(
      unreachable.err,
      /^platen: Could not reach http:\/\/127\.0\.0\.1:1: .+ Is the service running there\? --url or PLATEN_URL names another one\.\n$/,
    )
  })

  await t.test('sends files and headers, and saves other content than JSON unchanged', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    )
    await writeFile(join(folder, 'dot.png'), png)
    const upload = [
      'api',
      'post',
      '/assets',
      '--data',
      `@${join(folder, 'dot.png')}`,
      '--header',
      'Content-Type: image/png',
    ]
    const asset = JSON.parse((await run(upload, env)).out)
    const path = `/assets/${asset.id}/content`
    const onTerminal = await run(['api', 'get', path], env, { isTTY: true })
    assert.deepEqual([onTerminal.code, onTerminal.out], [1, ''])
    assert.match(onTerminal.err, /is not JSON \(image\/png\)\. Save it with --output <file>/)
    assert.ok((await run(['api', 'get', path], env)).bytes.equals(png))
    const saved = await run(['api', 'get', path, '--output', join(folder, 'copy.png')], env, { isTTY: true })
    assert.deepEqual([saved.code, saved.out, saved.err], [0, '', ''])
    assert.ok((await readFile(join(folder, 'copy.png'))).equals(png))
    const missing = await run(['api', 'get', path, '--output', join(folder, 'none/copy.png')], env)
    assert.deepEqual([missing.code, missing.err.includes('none/copy.png')], [1, true])
  })

  await t.test('paths of files are relative to the folder in which the user ran npm', async () => {
    const npm = { ...env, npm_lifecycle_event: 'platen', INIT_CWD: folder }
    await writeFile(join(folder, 'hook.json'), '{"url":"https://example.com/npm"}')
    const args = ['api', 'post', '/webhook-endpoints', '--data', '@hook.json', '--output', 'made.json']
    const { code, err } = await run(args, npm)
    assert.deepEqual([code, err], [0, ''])
    assert.equal(JSON.parse(await readFile(join(folder, 'made.json'), 'utf8')).url, 'https://example.com/npm')
    // Other scripts run the program in a folder of their choice.
    const other = await run(args, { ...npm, npm_lifecycle_event: 'deploy' })
    assert.deepEqual([other.code, other.err.startsWith('platen: Could not read hook.json: ')], [1, true])
  })

  await t.test('reads the body from standard input', async (t) => {
    const args = ['api', 'post', '/webhook-endpoints', '--data', '-']
    const child = startPlaten(t, args, env, '{"url":"https://example.com/stdin"}')
    assert.equal(await child.ended, 0, child.err())
    assert.equal(JSON.parse(child.out()).url, 'https://example.com/stdin')
  })

  await t.test('--all follows the pages of a list and prints a line for each record', async () => {
    for (let index = 0; index < 3; index += 1)
      await service.request('POST', '/webhook-endpoints', { token, body: { url: `https://example.com/${index}` } })
    const { code, out } = await run(['api', 'get', '/products?limit=2', '--all'], env)
    const { body } = await service.request('GET', '/products?limit=100')
    assert.equal(code, 0)
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      body.data,
    )
    assert.ok(body.data.length > 2)
    for (const subject of [newId('order'), newId('order')]) {
      const event = { type: 'order.created', subject, ownerId: userId, data: { id: subject }, at: new Date() }
      await service.db.transaction().execute((trx) => emit(trx, event))
    }
    await untilEventsVisible(service.db)
    const events = await run(['api', 'get', '/events?limit=1', '--all'], env)
    const expected = await service.request('GET', '/events?limit=100', { token })
    assert.deepEqual(
      events.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      expected.body.data,
    )
    const page = await startRecorder(t, () => [200, { 'content-type': 'text/html' }, '<p>hello</p>'])
    const other = await run(['api', 'get', '/products', '--all'], { ...env, PLATEN_URL: page.origin })
    assert.deepEqual([other.code, other.err.includes(`${page.origin} did not respond with JSON.`)], [1, true])
    const single = await run(['api', 'get', `/products/${body.data[0].id}`, '--all'], env)
    assert.deepEqual(
      [single.code, single.err],
      [1, `platen: /products/${body.data[0].id} does not return a list with pages. Leave out --all.\n`],
    )
  })

  await t.test('refuses command lines that cannot be meant, before any request', async (t) => {
    const { received, origin } = await startRecorder(t)
    const wrong: [string[], RegExp][] = [
      [['brew', '/orders'], /method 'brew' is unknown/],
      [['get', 'orders'], /must start with '\/'/],
      [['get', 'https://example.com/v1/orders'], /must start with '\/'/],
      [['get', '/orders', '--data', '{}'], /has no body/],
      [['post', '/orders', '--data', '{"a"'], /--data is not JSON/],
      [['post', '/orders', '--all'], /--all reads a list with get/],
      [['get', '/orders', '--header', 'Authorization: Bearer x'], /Other users of this machine/],
      [['get', '/orders', '--header', 'no colon'], /'no colon' is not valid/],
      [['get', '/orders', '--header', 'a b: c'], /'a b: c' is not valid/],
      [['get', '/orders', '--url', `${origin}/path`], /--url must be scheme, host and port/],
      [['get', '/orders', '--profile', '../x'], /cannot exist/],
    ]
    for (const [args, message] of wrong) {
      const { code, out, err } = await run(['api', ...args], { ...env, PLATEN_URL: origin })
      assert.deepEqual([code, out], [2, ''], `${args}: ${err}`)
      assert.match(err, message)
    }
    assert.equal(received.length, 0)
  })
})

test('the key of a profile is sent to its origin only', async (t) => {
  const [own, other] = [await startRecorder(t), await startRecorder(t)]
  const { run, configHome } = await startClientScene(t)
  const stored = { url: own.origin, apiKey: 'platen_stored', keyId: 'key_1' }
  await withEnvironment({ XDG_CONFIG_HOME: configHome }, () => storeProfile('default', stored))

  for (const [args, env] of [
    [['--url', other.origin], {}],
    [[], { PLATEN_URL: other.origin }],
  ] as const) {
    const { code, err } = await run(['api', 'get', '/orders', ...args], env)
    assert.equal(code, 1)
    assert.match(err, new RegExp(`^platen: The profile "default" has a key for ${own.origin}, which is not sent to`))
  }
  assert.equal(other.received.length, 0)
  assert.equal((await run(['api', 'get', '/orders'], { PLATEN_URL: own.origin })).code, 0)
  assert.deepEqual(
    own.received.map(({ url, headers }) => [url, headers.authorization]),
    [['/v1/orders', 'Bearer platen_stored']],
  )

  // Files are on another origin if the service stores them in a bucket.
  const redirecting = await startRecorder(t, () => [302, { location: `${other.origin}/file` }, ''])
  const key = { PLATEN_URL: redirecting.origin, PLATEN_API_KEY: 'platen_mine' }
  assert.equal((await run(['api', 'get', '/designs/x/files/print'], key)).code, 0)
  assert.equal(redirecting.received[0]?.headers.authorization, 'Bearer platen_mine')
  assert.deepEqual(
    other.received.map(({ headers }) => headers.authorization),
    [undefined],
  )
})

test('PLATEN_API_KEY takes precedence over the profile, and selects no other service by itself', async (t) => {
  const own = await startRecorder(t)
  const { run, configHome } = await startClientScene(t)
  await withEnvironment({ XDG_CONFIG_HOME: configHome }, () =>
    storeProfile('ci', { url: own.origin, apiKey: 'platen_stored', keyId: 'key_1' }),
  )
  const env = { PLATEN_PROFILE: 'ci', PLATEN_URL: own.origin, PLATEN_API_KEY: 'platen_ci' }
  assert.equal((await run(['api', 'get', '/orders'], env)).code, 0)
  assert.equal(own.received[0]?.headers.authorization, 'Bearer platen_ci')
  const unknown = await run(['api', 'get', '/orders', '--profile', 'none'], { PLATEN_URL: own.origin })
  assert.deepEqual(
    [unknown.code, unknown.err],
    [1, 'platen: The profile "none" does not exist. Run "platen login --profile none".\n'],
  )
})

test('a key is not sent to another machine without encryption, unless that is allowed', async (t) => {
  const { run } = await startClientScene(t)
  const env = { PLATEN_URL: 'http://192.0.2.1', PLATEN_API_KEY: 'platen_mine' }
  const { code, err } = await run(['api', 'get', '/orders'], env)
  assert.equal(code, 1)
  assert.match(err, /^platen: http:\/\/192\.0\.2\.1 is not encrypted, .* --allow-http /)
  const allowed = await run(['api', 'get', '/orders', '--allow-http'], { ...env, PLATEN_URL: 'http://platen.invalid' })
  assert.match(allowed.err, /^platen: Could not reach http:\/\/platen\.invalid/)
})

test('a damaged or unreadable file of profiles is reported with its path', async (t) => {
  const { run, configHome } = await startClientScene(t)
  await withEnvironment({ XDG_CONFIG_HOME: configHome }, () =>
    storeProfile('default', { url: 'http://127.0.0.1:1', apiKey: 'k', keyId: 'key_1' }),
  )
  const file = join(configHome, 'platen/profiles.json')
  for (const text of ['{', '[]', '{"default":{"url":"x"}}', '{"default":null}']) {
    await writeFile(file, text)
    const { code, err } = await run(['api', 'get', '/orders'])
    assert.deepEqual([code, err.startsWith(`platen: ${file} does not contain profiles.`)], [1, true], text)
  }
  await chmod(file, 0o600)
})
