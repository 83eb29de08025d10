import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestService } from '../harness.ts'

interface Visited {
  status: number
  text: string
  ids: Set<string>
}

const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"')

/** Requests every page that links lead to, from the page for developers on. The shop needs scripts and has tests of its own. */
async function crawl({ request, origin }: TestService): Promise<Map<string, Visited>> {
  const visited = new Map<string, Visited>()
  const waiting = ['/developers']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (visited.has(path)) continue
    const { status, text, headers } = await request('GET', `${origin}${path}`)
    const isHtml = headers.get('content-type')?.startsWith('text/html') === true
    visited.set(path, { status, text, ids: new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)) })
    if (isHtml && path !== '/') waiting.push(...linksOf(text, path).map(([target]) => target))
  }
  return visited
}

/** Links of a page within the site, as path and anchor. */
function linksOf(html: string, from: string): [path: string, anchor: string][] {
  return [...html.matchAll(/(?:href|action)="([^"]+)"/g)]
    .map(([, url = '']) => new URL(unescaped(url), `http://site${from}`))
    .filter(({ host }) => host === 'site')
    .map(({ pathname, hash }) => [pathname, decodeURIComponent(hash.slice(1))])
}

test('no link and no anchor of the pages is dead', async (t) => {
  const pages = await crawl(await startService(t))
  const dead: string[] = []
  for (const [path, { status, text }] of pages) {
    if (status !== 200) dead.push(`${path}: ${status}`)
    for (const [target, anchor] of linksOf(text, path)) {
      if (anchor !== '' && pages.get(target)?.ids.has(anchor) !== true) dead.push(`${path} -> ${target}#${anchor}`)
    }
  }
  assert.deepEqual(dead, [])
  for (const path of ['/docs/guides/first-design', '/docs/events', '/docs/states', '/docs/changelog', '/docs/webhooks'])
    assert.ok(pages.has(path), path)
})

/** Pages of the shop that need its program. */
const isProgram = (path: string): boolean => /^\/(?:designs|cart|account)?$/.test(path)

test('no page has a script, an inline style or an id twice, and none loads from other sites', async (t) => {
  for (const [path, { text }] of await crawl(await startService(t))) {
    if (!text.startsWith('<!doctype') || isProgram(path)) continue
    // Examples show the source of mails, in which quotes are escaped.
    assert.doesNotMatch(text, /<script|<style| style=["']| on[a-z]+="/, path)
    assert.doesNotMatch(text, /(?:src|<link (?!rel="canonical")[^>]*href)="(?:https?:)?\/\//, path)
    for (const landmark of ['<header', '<main', '<nav', '<footer', '<html lang="en"'])
      assert.ok(text.includes(landmark), path)
    assert.equal(text.match(/<h1/g)?.length, 1, path)
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, path)
  }
})

test('/llms.txt lists every page of the documentation', async (t) => {
  const service = await startService(t)
  const pages = await crawl(service)
  const { text, headers } = await service.request('GET', `${service.origin}/llms.txt`)
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  const listed = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, url = '']) => new URL(url).pathname.replace(/\.md$/, ''))
  const documented = [...pages.keys()].filter((path) => /^\/docs\/(?!search|examples)/.test(path))
  assert.deepEqual(
    documented.filter((path) => !listed.includes(path)),
    [],
  )
})

test('pages of Markdown files are served as Markdown too, and their links lead to pages', async (t) => {
  const service = await startService(t)
  const { text: list } = await service.request('GET', `${service.origin}/llms.txt`)
  const paths = [...list.matchAll(/\]\((\S+\.md)\)/g)].map(([, url = '']) => new URL(url).pathname)
  assert.ok(paths.includes('/docs/guides/first-design.md') && paths.includes('/docs/settings.md'))
  for (const path of paths) {
    const { text, headers } = await service.request('GET', `${service.origin}${path}`)
    assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8')
    assert.match(text, /^# \S/, path)
    const inner = [...text.matchAll(/\]\((http:\/\/platen\.localhost\/docs[^)#]*)/g)].map(([, url = '']) => url)
    for (const url of new Set(inner)) {
      const { status } = await service.request('GET', `${service.origin}${new URL(url).pathname}`)
      assert.equal(status, 200, `${path} -> ${url}`)
    }
  }
})
