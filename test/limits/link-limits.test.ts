import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../harness.ts'

interface Operation {
  parameters?: { in: string; name: string }[]
}

/** The network as a whole may send ten times as many requests as one of its IP addresses. */
const NETWORK_SHARE = 10

// The limit counts before the signature is verified, so the test needs no valid link.
test('every route of signed links limits requests of an IP address, and those of its network', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_LINKS: '1', PLATEN_TRUSTED_PROXIES: 'loopback' }
  const service = await startService(t, { env })
  const { body: document } = await service.request('GET', '/openapi.json', { headers: from('198.51.100.1') })
  const paths = Object.entries<Record<string, Operation>>(document.paths)
    .filter(([, { get }]) => get?.parameters?.some(({ in: place, name }) => place === 'query' && name === 'signature'))
    .map(([path]) => path)
  assert.ok(paths.length >= 5, paths.join())
  for (const [index, path] of paths.entries()) {
    const send = async (host: number) => {
      const ip = `192.0.${index}.${host}`
      const { status, headers } = await service.request('GET', path.replaceAll(/[{}]/g, ''), { headers: from(ip) })
      return [status, status === 429 ? headers.get('ratelimit-policy') : undefined]
    }
    for (let host = 1; host <= NETWORK_SHARE; host += 1) assert.deepEqual(await send(host), [403, undefined], path)
    assert.deepEqual(await send(1), [429, '"links";q=1;w=60'], path)
    assert.deepEqual(await send(NETWORK_SHARE + 1), [429, `"network-links";q=${NETWORK_SHARE};w=60`], path)
  }
})

function from(ip: string): Record<string, string> {
  return { 'x-forwarded-for': ip }
}
