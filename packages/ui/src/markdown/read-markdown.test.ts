import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Token } from 'marked'
import { processorMs } from '../../../../test/lib/processor-time.ts'
import { isWebLink, readMarkdown } from './read-markdown.ts'

const LONGEST = 20_000
/** Reading all of these without limits takes minutes, and with them a fraction of this time. */
const MOST_PROCESSOR_MS = 3_000

const repeated = (unit: string): string => unit.repeat(Math.ceil(LONGEST / unit.length)).slice(0, LONGEST)

const EXPENSIVE = [
  ...['_*a', '*a_', '**a_', '_a', '_a*b~', '***a', '[', '[a](', '![a](', '![[!['].map(repeated),
  ...[`${'_*a'.repeat(90)}\n\n`, `|${'_*a'.repeat(30)}`, '- a\n\n', '- - ', '<a', '`a'].map(repeated),
  `${'*'.repeat(LONGEST / 2)}a${'*'.repeat(LONGEST / 2 - 1)}`,
]

test('no text of the allowed length is expensive to read', () => {
  const before = process.cpuUsage()
  for (const source of EXPENSIVE) readMarkdown(source)
  const usedMs = processorMs(process.cpuUsage(before))
  assert.ok(usedMs < MOST_PROCESSOR_MS, `${usedMs} ms`)
})

const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === 'list') return textOf((token as Token & { items: Token[] }).items)
      return 'tokens' in token && token.tokens !== undefined ? textOf(token.tokens) : token.raw
    })
    .join('')

test('a text that exceeds a limit is shown as it is written', () => {
  for (const unit of ['>', '> ', '- ', '1. ', '*']) {
    const source = `${repeated(unit).slice(5)}word`
    assert.match(textOf(readMarkdown(source)), /word$/, unit)
  }
  const long = `**bold** ${'a'.repeat(6_000)}`
  assert.ok(textOf(readMarkdown(long)) === long)
  assert.ok(textOf(readMarkdown(`**bold** a\n\n${long}`)) === `bold a\n\n${long}`)
})

test('lists in lists, quotes and emphasis of usual depth are read', () => {
  const nested = readMarkdown('- a\n  - b\n    - c\n      > **bold *and italic***')
  assert.equal(textOf(nested).replaceAll(/\s/g, ''), 'abcboldanditalic')
})

test('links lead to the web or to pages of the shop', () => {
  const links = ['https://a.example/x', 'http://a.example', '/', '/products/x']
  const others = ['//a.example', '/\\a.example', '/\t/a.example', 'javascript:alert(1)', 'data:text/html,x', 'a', '']
  assert.deepEqual([...links, ...others].filter(isWebLink), links)
})
