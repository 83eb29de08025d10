import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { renderMarkdown } from '../../src/site/docs/markdown.ts'
import { EXAMPLES, GUIDES } from '../../src/site/docs/sources.ts'
import { stateDiagram } from '../../src/site/docs/state-diagram.ts'
import { startService } from '../harness.ts'

const docs = join(import.meta.dirname, '../../docs')
const namesIn = (folder: string) => readdirSync(join(docs, folder)).map((name) => name.replace(/\.\w+$/, ''))

test('every guide and every example document has a page', () => {
  assert.deepEqual(namesIn('guides').sort(), [...GUIDES].sort())
  assert.deepEqual(namesIn('examples').sort(), [...EXAMPLES].sort())
})

test('HTML in Markdown is shown as text, and links to files without a page are text', () => {
  const source = { file: 'docs/X.md', path: '/docs/x', group: 'Rules' }
  const text =
    '# T\n\n<script>alert(1)</script>\n\n<b>x</b> [bad](javascript:alert) [none](../src/x.ts) ![x](https://e.com/x.png)\n'
  const { main, title } = renderMarkdown(source, text, new Map())
  assert.equal(title, 'T')
  assert.doesNotMatch(main, /<script|<b>|<a |<img|javascript:/)
  assert.match(main, /&lt;script&gt;/)
})

test('the search finds operations by their id and errors by their code, and escapes the query', async (t) => {
  const { request, origin } = await startService(t)
  const find = (query: string) => request('GET', `${origin}/docs/search?q=${encodeURIComponent(query)}`)
  const found = await find('createDesign')
  assert.match(found.text, /<a href="\/docs\/reference\/designs#createDesign">/)
  assert.match((await find('validation_failed')).text, /<a href="\/problems\/validation_failed">/)
  const hostile = await find('"><script>alert(1)</script>')
  assert.equal(hostile.status, 200)
  assert.doesNotMatch(hostile.text, /<script/)
  assert.equal((await find('a '.repeat(400))).status, 200)
  assert.equal((await find('a'.repeat(2000))).status, 400)
  assert.equal((await request('GET', `${origin}/docs/search`)).status, 200)
})

test('the search finds pages by their code blocks and by the last part of their URL', async (t) => {
  const { request, origin } = await startService(t)
  const queries = {
    createPlaten: '/docs/sdk',
    SDK: '/docs/sdk',
    'npm install': '/docs/sdk',
    'platen listen': '/docs/guides/developing-locally',
  }
  for (const [query, path] of Object.entries(queries)) {
    const { text } = await request('GET', `${origin}/docs/search?q=${encodeURIComponent(query)}`)
    assert.ok(text.includes(`<a href="${path}"`), query)
  }
})

test('a page of the documentation is revalidated, and an unknown one is 404', async (t) => {
  const { request, origin } = await startService(t)
  const page = await request('GET', `${origin}/docs/reference/designs`)
  assert.equal(page.headers.get('content-security-policy'), "default-src 'self'")
  const headers = { 'if-none-match': page.headers.get('etag') ?? '' }
  assert.equal((await request('GET', `${origin}/docs/reference/designs`, { headers })).status, 304)
  const head = await request('HEAD', `${origin}/docs`)
  assert.deepEqual([head.status, head.text], [200, ''])
  assert.equal((await request('GET', `${origin}/docs/?x=1`)).status, 200)
  for (const path of ['/docs/unknown', '/docs/../package.json', '/docs/%2e%2e/package.json'])
    assert.equal((await request('GET', `${origin}${path}`)).status, 404, path)
})

test('a diagram and its text alternative show every transition of the table', () => {
  const html = stateDiagram('things', {
    open: { hold: 'held', close: 'closed' },
    working: { hold: 'held' },
    held: { release: 'before' },
    closed: {},
  })
  assert.match(html, /<svg role="img" aria-labelledby="diagram-things"/)
  assert.match(
    html,
    /<code>release<\/code> leads to <code>open<\/code>; <code>release<\/code> leads to <code>working<\/code>/,
  )
  assert.match(html, /<code>closed<\/code>: final/)
})

test('every type of event has a description and a payload', async (t) => {
  const { request, origin } = await startService(t)
  const { text } = await request('GET', `${origin}/docs/events`)
  assert.doesNotMatch(text, /<dd><p><\/p>/)
  assert.match(text, /<dt id="order.confirmed">/)
})
