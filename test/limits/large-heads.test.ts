import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { documentOf, startSignedIn, textLayer } from '../../src/designs/factory.ts'
import { processorMs } from '../lib/processor-time.ts'

/** A caller may send hundreds of requests a second, so none may cost much more than an ordinary one. */
const MOST_MS = 4
const TRIES = 8

/** The lists that headers have, each as long as `requireShortHeaders` allows, and queries and paths as long as Node.js does. */
const HEADERS: Record<string, string> = {
  Accept: ',',
  'Accept-Encoding': ',',
  'Accept-Language': ',',
  'If-None-Match': ',',
  'If-Match': ',',
  Range: 'bytes=0-1,',
  Prefer: 'a,',
  'Content-Type': 'application/json;a=b',
  'X-Forwarded-For': '127.0.0.1,',
  Cookie: ';',
  Authorization: 'Bearer a.',
}
/** The same with other values. */
const TOKENS = { Authorization: '=' }
const PATHS = ['a/', '/', '%41', '..%2f']
const QUERIES = {
  'of unknown parameters': Array.from({ length: 8_000 }, (_, index) => index.toString(36)).join('&'),
  'of one parameter': 'limit=1&'.repeat(3_500),
  'of escapes': '%41'.repeat(9_000),
  'of separators': '&'.repeat(28_000),
  'of filters': Array.from({ length: 1_200 }, (_, index) => `metadata[${index}]=1`).join('&'),
}

test('no request is expensive because of a long header, query or path', async (t) => {
  // Limits that are not reached, because their code reads headers, too.
  const env = {
    PLATEN_RATE_LIMITS: 'on',
    PLATEN_RATE_LIMIT_SIGNED_IN: '100000',
    PLATEN_RATE_LIMIT_ANONYMOUS: '100000',
    PLATEN_RATE_LIMIT_LINKS: '100000',
    PLATEN_TRUSTED_PROXIES: '127.0.0.0/8',
  }
  const { service, create, token } = await startSignedIn(t, { env })
  const { body: design } = await create({ document: documentOf([textLayer('Hello')]) })
  // Operations and pages that read these headers.
  const routes = [
    '/v1/products',
    '/v1/designs',
    `/v1/designs/${design.id}`,
    `/v1/designs/${design.id}/preview`,
    `/v1/templates/${design.id}/preview`,
    `/v1/links/designs/${design.id}/preview`,
    '/v1/openapi.json',
    '/docs',
    '/console',
    '/',
  ]
  const own = { Authorization: `Bearer ${token}` }

  /** The processor time of a request and its response, on both sides. Of several tries, the shortest counts. */
  const costOf = async (path: string, headers: Record<string, string>): Promise<number> => {
    let least = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = process.threadCpuUsage()
      const asked = request(`${service.origin}${path}`, { headers: { ...own, ...headers } }).end()
      const [response] = await once(asked, 'response')
      response.resume()
      await once(response, 'end')
      least = Math.min(least, processorMs(process.threadCpuUsage(before)))
    }
    return least
  }

  const expensive: string[] = []
  const check = async (name: string, path: string, headers: Record<string, string>, ordinaryMs: number) => {
    const ms = (await costOf(path, headers)) - ordinaryMs
    if (ms > MOST_MS) expensive.push(`${name}: ${ms.toFixed(1)} ms more than an ordinary request`)
  }
  for (const route of routes) {
    const ordinaryMs = await costOf(route, {})
    for (const [name, unit] of [...Object.entries(HEADERS), ...Object.entries(TOKENS)]) {
      for (const bytes of [7_000, 28_000]) {
        const value = `${unit.repeat(bytes / unit.length)}x`
        await check(`${route} with ${bytes} bytes of ${name}`, route, { [name]: value }, ordinaryMs)
      }
    }
    for (const [name, query] of Object.entries(QUERIES)) {
      await check(`${route} with a query ${name}`, `${route}?${query}`, {}, ordinaryMs)
    }
    for (const unit of PATHS) {
      await check(`${route}/${unit}`, `${route}/${unit.repeat(28_000 / unit.length)}`, {}, ordinaryMs)
    }
  }
  assert.deepEqual(expensive, [])
})
