import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { listFontFiles } from '../../rendering/installed-fonts/installed-fonts.ts'
import { woffToSfnt } from '../../rendering/installed-fonts/woff.ts'

interface Listed {
  family: string
  category: string
  fileUrl: string
  styles: { weight: number; style: string }[]
  subsets: { name: string; scripts: string[]; ranges: number[][] }[]
}

/** Lists the files of the response as a client does. */
function filesOf({ family, category, fileUrl, styles, subsets }: Listed) {
  return styles.flatMap(({ weight, style }) =>
    subsets.map(({ name, scripts, ranges }) => ({
      ...{ family, category, weight, style, scripts, ranges },
      url: fileUrl.replace('{subset}', name).replace('{weight}', String(weight)).replace('{style}', style),
    })),
  )
}

test('everyone can download the files of the installed fonts, in the order in which layout tries them', async (t) => {
  const service = await startService(t)
  const listing = await service.request('GET', '/fonts/files')
  assert.equal(listing.headers.get('cache-control'), 'public, no-cache')
  const files = (listing.body.data as Listed[]).flatMap(filesOf)
  const installed = listFontFiles()
  assert.deepEqual(
    files.map(({ url: _, ...file }) => file),
    installed.map(({ load: _, ...file }) => file),
  )

  for (const index of [0, 500, files.length - 1]) {
    const { url = '' } = files[index] ?? {}
    const response = await service.request('GET', url.replace('/v1', ''))
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('content-type'), 'font/woff')
    const sha256 = createHash('sha256').update(woffToSfnt(response.body)).digest('hex')
    assert.equal(sha256, installed[index]?.load().sha256, url)
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
    assert.equal((await service.request('GET', url.replace('/v1', ''), { headers })).status, 304)
  }
  const headers = { 'if-none-match': listing.headers.get('etag') ?? '' }
  assert.equal((await service.request('GET', '/fonts/files', { headers })).status, 304)
})

test('a file of another release and a path outside of the fonts are not found', async (t) => {
  const service = await startService(t)
  for (const path of ['inter@0.0.1/latin-400-normal.woff', 'inter@5.3.0/..%2f..%2fpackage.json', 'inter/x.woff']) {
    const { status, body } = await service.request('GET', `/fonts/files/${path}`)
    assert.deepEqual([status, body.code], [404, 'font_file_not_found'], path)
  }
})

// A response that is in memory as a whole, without a limit, would let a few clients exhaust the memory of the process.
test('clients that do not read font files occupy little memory', async (t) => {
  const service = await startService(t, { env: { PLATEN_RATE_LIMITS: 'on' } })
  const { body } = await service.request('GET', '/fonts/files')
  const large = (body.data as Listed[]).find(({ family }) => family === 'Noto Sans JP')
  assert.ok(large !== undefined)
  const path = large.fileUrl.replace('{subset}-{weight}-{style}', 'japanese-700-normal')
  const { hostname, port } = new URL(service.origin)
  const before = process.memoryUsage().rss
  let begun = 0
  // The system buffers one or two files of 1.3 MiB for each connection. The others wait in the process.
  const requests = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(4)
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.once('readable', () => {
      begun += 1
    })
    socket.write(requests)
    return socket
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  await until('the begin of all responses', () => begun === 100)
  await delay(1_000)
  const grown = process.memoryUsage().rss - before
  assert.ok(grown < 120 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB`)
})

test('a page of an allowed origin can read font files', async (t) => {
  const origin = 'https://shop.example.com'
  const service = await startService(t, { env: { PLATEN_CORS_ORIGINS: origin } })
  const { headers } = await service.request('GET', '/fonts/files', { headers: { origin } })
  assert.equal(headers.get('access-control-allow-origin'), origin)
})
