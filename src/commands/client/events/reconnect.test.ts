import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startClientScene, startPlaten } from '../client.fixture.ts'
import { startServer } from '../server.fixture.ts'

interface Unavailable {
  /** The id behind which the stream starts. Empty for an account without events. */
  position: string
  retryAfter: string
}

/** Runs `platen listen` with a server that ends the first stream and is unavailable from then on. */
async function listenUntilUnavailable(t: TestContext, { position, retryAfter }: Unavailable) {
  const { env } = await startClientScene(t)
  const paths: (string | undefined)[] = []
  const origin = await startServer(t, ({ url }, response) => {
    paths.push(url)
    if (paths.length === 1)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${position}retry: 2000\n\n`)
    else response.writeHead(503, { 'retry-after': retryAfter }).end()
  })
  const child = startPlaten(t, ['listen'], { ...env, PLATEN_URL: origin, PLATEN_API_KEY: 'platen_mine' })
  return { child, paths }
}

test('listen waits ten minutes at most, even if the service states a longer Retry-After', async (t) => {
  for (const retryAfter of ['9999999', '1e999']) {
    const { child, paths } = await listenUntilUnavailable(t, { position: 'id: evt_1\n\n', retryAfter })
    await child.until(/status_503\)\. Reconnecting in 600\.0 s\.$/m)
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.equal(paths.length, 2)
    child.kill('SIGINT')
    assert.equal(await child.ended, 0)
  }
})

test('listen obeys Retry-After of the stream and of the list of earlier events', async (t) => {
  // An account without a position reads the list before it opens the stream again.
  for (const [position, path] of [
    ['id: evt_1\n\n', '/v1/events/stream'],
    ['', '/v1/events?limit=100'],
  ] as const) {
    const { child, paths } = await listenUntilUnavailable(t, { position, retryAfter: '7' })
    await child.until(/ Reconnecting in 7\.0 s\.$/m)
    assert.deepEqual(paths, ['/v1/events/stream', path])
    child.kill('SIGINT')
    assert.equal(await child.ended, 0)
  }
})
