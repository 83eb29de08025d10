import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { renderPageMarkdown, renderProductMarkdown } from '../../src/site/look/markdown.ts'
import { noBrowser } from '../lib/browser/browser.ts'
import { openProfiles } from '../lib/browser/shared-browser.ts'

const ALLOWED =
  /^(div\.(class|tabindex)|th\.(scope|align)|(div|h[2-4]|table|thead|tbody|tr|th|td|p|ul|ol|ol\.start|li|blockquote|hr|br|strong|em|del|code|a|a\.href))$/

const HOSTILE = [
  'Nice <pre> <meta http-equiv=refresh content=0;url=//evil.example a',
  'x <script> <img src=x onerror=alert(1) a',
  'x <code> <form action=https://evil.example/collect <br',
  'x <kbd> <iframe src=//evil.example <b',
  '<pre>\n<img src=x ',
  '<div>\n\n<pre> <i',
  '*<pre>* <meta x',
  '[<pre>](/x) <meta x',
  '- <pre> <meta x\n- <base href=//evil.example x',
  '> <script> <link rel=stylesheet href=//evil.example x',
  '|<pre>|<meta x|\n|-|-|\n|<kbd>|<img x|',
  '<!-- --> <meta x',
  '<![CDATA[ <meta x ]]>',
  '<https://x.example/"onmouseover=1>',
  '[x](https://a.example/"><b>)',
  '[a](/\\evil.example) [b](//evil.example) [c](javascript:alert(1)) [d](</\t/evil.example>)',
  '![a](https://evil.example/x.png "t") ![b][c]\n\n[c]: https://evil.example/y.png',
  '~~~html\n<b>\n~~~',
  '`<b>` ``<i>`` \\<b> &lt;b> &#60;b>',
  '# <h1 onclick=x>\n\n<b>\n===',
  `${'>'.repeat(20_000)}<b>`,
  `${'_*a'.repeat(6_000)}<b>`,
]

const fragments = fc.constantFrom(
  ...['<pre>', '</pre>', '<script>', '</script>', '<code>', '<kbd>', '<b', '>', '<', '"', "'", '&', '&lt;', '\\', '`'],
  ...['*', '**', '_', '~~', '[', ']', '](/', '](https://a.example', '](/\\e', ')', '!', '!['],
  ...['\n', '\n\n', '> ', '- ', '1. ', '# ', '    ', '|', '|-|', '```', '---', '<!--', '-->', '<?', '<![CDATA['],
  ...['<meta x', '<img src=x onerror=1 ', ' onclick=1 ', 'a', ' ', '\t', 'http://a.example/', 'a@b.example', '[x]: /y'],
)

/** The part of the DOM that the test uses. */
interface ParsedElement {
  localName: string
  getAttributeNames(): string[]
}
interface Parsing {
  DOMParser: new () => {
    parseFromString(html: string, type: string): { querySelectorAll(selector: string): Iterable<ParsedElement> }
  }
}

/** Returns the elements and attributes that a browser finds in the HTML of each text. */
async function parse(t: TestContext, htmls: readonly string[]): Promise<string[][]> {
  const page = await (await openProfiles(t)).newPage()
  return page.evaluate((all) => {
    const { DOMParser: Parser } = globalThis as unknown as Parsing
    return all.map((html) => {
      const elements = [...new Parser().parseFromString(html, 'text/html').querySelectorAll('head *, body *')]
      return elements.flatMap((element) => {
        const attributes = element.getAttributeNames()
        return [element.localName, ...attributes.map((name) => `${element.localName}.${name}`)]
      })
    })
  }, htmls)
}

test('a browser finds only harmless elements in descriptions and pages of the shop', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const mixed = fc.sample(fc.array(fragments, { maxLength: 30 }), 3_000).map((parts) => parts.join(''))
  const sources = [...HOSTILE, ...mixed]
  const rendered = sources.flatMap((source) => [renderProductMarkdown(source), renderPageMarkdown(source).html])
  const found = await parse(t, rendered)
  const faults = found.flatMap((names, index) => {
    const others = names.filter((name) => !ALLOWED.test(name))
    return others.length === 0 ? [] : [{ html: rendered[index]?.slice(0, 500), others }]
  })
  assert.deepEqual(faults, [])
})

test('links of descriptions stay in the shop or name the other site', () => {
  const targets = HOSTILE.flatMap((source) => [...renderProductMarkdown(source).matchAll(/href="([^"]*)"/g)])
  for (const [, target = ''] of targets) assert.match(target, /^(https?:\/\/\w|\/(?![/\\]))/)
})
