import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { makeCertificate } from '../../../../test/fakes/certificate.ts'
import { temporaryDir } from '../../../../test/harness.ts'
import { type ClientScene, startClientScene, startPlaten } from '../client.fixture.ts'
import { listenOn, startRecorder, startServer } from '../server.fixture.ts'

const KEY = { PLATEN_API_KEY: 'platen_mine' }

/** Asserts that a command ended with an error that names the target of the redirect. */
function assertRefused({ code, out, err }: Awaited<ReturnType<ClientScene['run']>>, location: string): void {
  assert.deepEqual([code, out], [1, ''])
  assert.ok(err.startsWith('platen: http://127.0.0.1:') && err.includes(` redirects to ${location} (status `), err)
}

test('a request that changes something follows no redirect, and the error names the location', async (t) => {
  const { run } = await startClientScene(t)
  const other = await startRecorder(t)
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of ['/v1/elsewhere', `${other.origin}/v1/orders`]) {
      const { received, origin } = await startRecorder(t, () => [status, { location }, ''])
      const env = { ...KEY, PLATEN_URL: origin }
      for (const args of [
        ['post', '/orders', '--data', '{"a":1}'],
        ['delete', '/designs/x'],
        ['put', '/tax-settings'],
      ]) {
        assertRefused(await run(['api', ...args], env), location)
      }
      assert.equal(received.length, 3)
    }
  }
  assert.equal(other.received.length, 0)
})

test('a sign-in does not send the password to where a redirect leads', async (t) => {
  const { env } = await startClientScene(t)
  const other = await startRecorder(t)
  const location = `${other.origin}/v1/api/auth/login`
  const bodies: string[] = []
  const origin = await startServer(t, async (request, response) => {
    bodies.push(await text(request))
    response.writeHead(307, { location }).end()
  })
  const args = ['login', '--url', origin, '--email', 'ada@example.com']
  const child = startPlaten(t, args, env, 'a quiet lake\n')
  assert.equal(await child.ended, 1)
  assert.match(child.err(), new RegExp(`redirects to ${location} \\(status 307\\)`))
  assert.deepEqual([bodies.length, other.received.length], [1, 0])
})

test('lists of all pages and event streams follow no redirect', async (t) => {
  const { run } = await startClientScene(t)
  const other = await startRecorder(t, () => [
    200,
    { 'content-type': 'application/json' },
    '{"data":[],"nextCursor":null}',
  ])
  const location = `${other.origin}/`
  const { origin } = await startRecorder(t, () => [302, { location }, ''])
  const env = { ...KEY, PLATEN_URL: origin }
  for (const args of [['api', 'get', '/orders', '--all'], ['listen'], ['listen', '--since', '1h']]) {
    assertRefused(await run(args, env), location)
  }
  assert.equal(other.received.length, 0)
})

test('reading follows redirects, and sends key and headers to the origin of the service only', async (t) => {
  const { run } = await startClientScene(t)
  const other = await startRecorder(t, () => [200, { 'content-type': 'application/json' }, '{"stored":true}'])
  const own = await startRecorder(t, ({ url }) => {
    return [307, { location: url === '/v1/start' ? '/v1/middle' : `${other.origin}/file` }, '']
  })
  const args = ['api', 'get', '/start', '--header', 'Platen-Customer: cus_1', '--header', 'Range: bytes=0-9']
  const { code, out, err } = await run(args, { ...KEY, PLATEN_URL: own.origin })
  assert.deepEqual([code, err, JSON.parse(out)], [0, '', { stored: true }])
  for (const { headers } of own.received) {
    assert.deepEqual([headers.authorization, headers['platen-customer']], ['Bearer platen_mine', 'cus_1'])
  }
  assert.equal(own.received.length, 2)
  assert.deepEqual(
    other.received.map(({ headers }) => [headers.authorization, headers['platen-customer'], headers.range]),
    [[undefined, undefined, 'bytes=0-9']],
  )
})

test('reading follows no endless redirect, and none to other schemes', async (t) => {
  const { run } = await startClientScene(t)
  for (const location of ['/v1/again', 'data:application/json,{}', 'file:///etc/passwd', 'http://']) {
    const { received, origin } = await startRecorder(t, () => [302, { location }, ''])
    assertRefused(await run(['api', 'get', '/again'], { ...KEY, PLATEN_URL: origin }), location)
    assert.equal(received.length, location === '/v1/again' ? 6 : 1)
  }
})

test('reading follows no redirect from an encrypted to an open connection', async (t) => {
  const { env } = await startClientScene(t)
  const open = await startRecorder(t)
  const certificate = makeCertificate(['localhost'])
  const trusted = join(await temporaryDir(t), 'trusted.pem')
  await writeFile(trusted, certificate.cert)
  const headers = { location: `${open.origin}/file` }
  const origin = await listenOn(
    t,
    createServer(certificate, (_request, response) => response.writeHead(302, headers).end()),
  )
  const settings = { ...env, ...KEY, PLATEN_URL: origin, NODE_EXTRA_CA_CERTS: trusted }
  const child = startPlaten(t, ['api', 'get', '/file'], settings)
  assert.equal(await child.ended, 1)
  assert.ok(child.err().includes(`redirects to ${headers.location} (status 302)`), child.err())
  assert.equal(open.received.length, 0)
})

test('a server to which a redirect leads cannot send the key back to a path of its choice', async (t) => {
  const { run } = await startClientScene(t)
  let back = ''
  const other = await startRecorder(t, () => [302, { location: back }, ''])
  const { received, origin } = await startRecorder(t, ({ url }) =>
    url === '/v1/start' ? [302, { location: `${other.origin}/` }, ''] : [200, {}, '{}'],
  )
  back = `${origin}/v1/chosen`
  const { code, err } = await run(['api', 'get', '/start'], { ...KEY, PLATEN_URL: origin })
  assert.equal(code, 0, err)
  assert.deepEqual(
    received.map(({ url, headers }) => [url, headers.authorization]),
    [
      ['/v1/start', 'Bearer platen_mine'],
      ['/v1/chosen', undefined],
    ],
  )
})
