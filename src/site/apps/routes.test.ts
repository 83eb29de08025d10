import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { chooseForm, listBuiltFiles } from './built-files.ts'

// `fetch` decompresses responses, so their headers would not show what was sent.
function raw(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      response.resume()
      resolve(response)
    }).on('error', reject)
  })
}

test('the shop answers at / with the security headers, and names files that can be stored forever', async (t) => {
  const service = await startService(t, { env: { PLATEN_SHOP_NAME: 'Prints & more' } })
  const page = await service.request('GET', `${service.origin}/`)
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('content-security-policy'), "default-src 'self'")
  assert.match(page.text, /<title>Prints &amp; more<\/title>/)
  const [, path = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page.text) ?? []
  assert.match(path, /^\/static\/shop-[\w-]+\.js$/)
  for (const encoding of ['br', 'gzip', undefined]) {
    const accepted = encoding === undefined ? 'identity' : encoding
    const script = await raw(`${service.origin}${path}`, { 'accept-encoding': accepted })
    assert.equal(script.statusCode, 200)
    assert.equal(script.headers['content-encoding'], encoding)
    assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(script.headers['access-control-allow-origin'], '*')
    const again = await raw(`${service.origin}${path}`, {
      'accept-encoding': accepted,
      'if-none-match': script.headers.etag ?? '',
    })
    assert.equal(again.statusCode, 304)
  }
  assert.equal((await service.request('GET', `${service.origin}/static/none.js`)).status, 404)
})

test('a built file has no form outside of its folder, and compressed forms are no files of their own', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'platen-web-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'static'))
  for (const name of ['a.js', 'a.js.br', 'a.js.gz', 'b.css', '.sources', 'notes.txt']) {
    writeFileSync(join(folder, 'static', name), name)
  }
  const { files, shopHtml, consoleHtml } = listBuiltFiles(folder)
  assert.deepEqual([...files.keys()].sort(), ['/static/a.js', '/static/b.css'])
  assert.deepEqual([shopHtml, consoleHtml], [undefined, undefined])
  const script = files.get('/static/a.js')
  assert.ok(script !== undefined)
  const encodings = ['gzip, br', 'gzip;q=1.0', 'br;q=0, gzip', 'BR', 'brotli', undefined].map(
    (header) => chooseForm(script, header).encoding,
  )
  assert.deepEqual(encodings, ['br', 'gzip', 'gzip', 'br', undefined, undefined])
})
