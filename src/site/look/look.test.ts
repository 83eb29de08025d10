import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { startService } from '../../../test/harness.ts'

const HOSTILE = `# Imprint *of* "us" & <b>

<script>alert(1)</script> <img src=x onerror=alert(1)>

[run](javascript:alert(1)) [mail](mailto:a@shop.example) ![x](https://e.example/x.png)

## Register

| Court |
|---|
| <i>Berlin</i> |
`

async function start(t: TestContext, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'platen-look-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'imprint.md'), HOSTILE)
  await writeFile(join(folder, 'imprint.de.md'), '# Impressum\n\nMusterstraße 1')
  await writeFile(join(folder, 'terms.de.md'), '# AGB')
  const logo = join(folder, 'logo.png')
  await sharp({ create: { width: 400, height: 100, channels: 3, background: '#c8322b' } })
    .png()
    .toFile(logo)
  const service = await startService(t, {
    env: {
      PLATEN_SHOP_NAME: 'Prints & more',
      PLATEN_SHOP_LINKS: 'Contact & help|mailto:a@shop.example',
      PLATEN_SHOP_PAGES_DIR: folder,
      PLATEN_SHOP_LOGO: logo,
      PLATEN_SHOP_COLOR: '#ffcc00',
      ...env,
    },
  })
  const page = (path: string, headers: Record<string, string> = {}) =>
    service.request('GET', `${service.origin}${path}`, { headers })
  return { page }
}

test('the theme, its fonts and the logo have URLs of their content, on every page of the shop', async (t) => {
  const { page } = await start(t)
  const { text } = await page('/')
  const [, theme = ''] = /<link rel="stylesheet" href="(\/theme-[0-9a-f]{16}\.css)"><\/head>/.exec(text) ?? []
  const [, logo = ''] =
    /<img class="shop-logo" src="([^"]+)" width="160" height="40" alt="Prints &amp; more">/.exec(text) ?? []
  for (const path of ['/designs', '/problems', '/verify-email', '/pages/imprint', '/pages/none']) {
    assert.ok((await page(path)).text.includes(theme), path)
  }
  const css = await page(theme)
  const [, font = ''] = /url\("([^"]+)"\)/.exec(css.text) ?? []
  assert.match(css.text, /font-display:swap/)
  assert.match(css.text, /:root,platen-editor\{--pl-accent:light-dark\(#/)
  assert.doesNotMatch(css.text, /https?:|data:/)
  for (const [path, type] of [
    [theme, 'text/css; charset=utf-8'],
    [logo, 'image/png'],
    [font, 'font/woff2'],
  ] as const) {
    const { status, headers } = await page(path)
    assert.deepEqual([status, headers.get('content-type')], [200, type], path)
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(headers.get('content-security-policy'), "default-src 'self'")
    assert.equal((await page(path.replace(/-[0-9a-f]/, '-x'))).status, 404)
  }
})

test('pages from Markdown files are readable without script, and run nothing that is in them', async (t) => {
  const { page } = await start(t)
  const { status, text, headers } = await page('/pages/imprint')
  assert.equal(status, 200)
  assert.equal(headers.get('content-security-policy'), "default-src 'self'")
  assert.match(text, /<title>Imprint of &quot;us&quot; &amp; &lt;b&gt; – Prints &amp; more<\/title>/)
  assert.match(text, /<h1>Imprint of &quot;us&quot; &amp; &lt;b&gt;<\/h1>.*<h2>Register<\/h2>/s)
  assert.equal(text.match(/<h1>/g)?.length, 1)
  assert.doesNotMatch(text, /<script|<img src=x|<b>|<i>|href="javascript:|e\.example/)
  assert.ok(text.includes('<a href="mailto:a@shop.example">mail</a>'))
  const missing = await page('/pages/none')
  assert.deepEqual([missing.status, missing.text.includes('<div id="app"></div>')], [404, true])
})

test('readers get a page in their language, or the one that there is', async (t) => {
  const { page } = await start(t)
  const german = { 'accept-language': 'de' }
  assert.match((await page('/pages/imprint', german)).text, /<html lang="de".*<h1>Impressum<\/h1>/s)
  assert.match((await page('/pages/imprint?lang=de')).text, /<h1>Impressum<\/h1>/)
  assert.match((await page('/pages/imprint')).text, /<html lang="en".*<h1>Imprint /s)
  assert.match((await page('/pages/terms')).text, /<html lang="en".*<div class="page" lang="de">.*<h1>AGB<\/h1>/s)
  assert.match((await page('/sitemap.xml')).text, /<loc>[^<]+\/pages\/imprint<\/loc>/)
})

test('the footer of each page has the links of the shop, and its pages in the language of the reader', async (t) => {
  const { page } = await start(t)
  for (const path of ['/', '/problems', '/pages/imprint']) {
    const { text } = await page(path)
    const [, footer = ''] = /<footer[^>]*>(.*)<\/footer>/s.exec(text) ?? []
    assert.ok(footer.includes('<a href="mailto:a@shop.example">Contact &amp; help</a>'), path)
    assert.ok(footer.includes('<a href="/pages/terms?lang=en">AGB</a>'), path)
    assert.match((await page(path, { 'accept-language': 'de' })).text, /<a href="\/pages\/imprint\?lang=de">Impressum</)
  }
})

test('two themes have different style sheets, and mails and pages share a colour', async (t) => {
  const sheets = await Promise.all(
    ['paper', 'ink'].map(async (theme) => {
      const { page } = await start(t, { PLATEN_SHOP_THEME: theme })
      return (await page(/\/theme-[0-9a-f]+\.css/.exec((await page('/')).text)?.[0] ?? '')).text
    }),
  )
  assert.match(sheets[1] ?? '', /"Playfair Display".*--pl-radius-m:0;.*--pl-fill:light-dark\(#ffcc00, #ffcc00\);/s)
  assert.doesNotMatch(sheets[0] ?? '', /Playfair|--pl-radius/)
})
