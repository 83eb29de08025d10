import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parse, TYPE } from '@formatjs/icu-messageformat-parser'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'packages/ui/messages')

type Messages = Record<string, Record<string, string>>

const load = (language: string): Map<string, string> => {
  const groups = JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8')) as Messages
  return new Map(
    Object.entries(groups).flatMap(([group, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${group}.${name}`, text] as const),
    ),
  )
}

const languages = readdirSync(FOLDER).map((file) => basename(file, '.json'))
const english = load('en')

/** Returns the names of the values of a message. */
function valuesOf(message: string): string[] {
  const names = new Set<string>()
  const visit = (elements: ReturnType<typeof parse>): void => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue
      names.add(element.value)
      if (element.type === TYPE.plural || element.type === TYPE.select) {
        for (const option of Object.values(element.options)) visit(option.value)
      }
    }
  }
  visit(parse(message, { ignoreTag: true }))
  return [...names].sort()
}

for (const language of languages) {
  test(`${language} has all texts, with the values of the English ones`, () => {
    const texts = load(language)
    assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort())
    for (const [key, text] of texts) {
      assert.deepEqual(valuesOf(text), valuesOf(english.get(key) ?? ''), key)
      assert.notEqual(text.trim(), '', key)
    }
  })
}

test('every text is used', () => {
  const files = globSync('{packages/{ui,app,editor}/src,web/*/src,src/site/{shop,catalogue}}/**/*.{ts,tsx}', {
    cwd: ROOT,
  })
  const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
  const literals = new Set([...sources.matchAll(/(["'])([\w.]+)\1/g)].map(([, , text = '']) => text))
  const beginnings = [...sources.matchAll(/`(\w+)\$\{/g)].map(([, text = '']) => text)
  const isUsed = (key: string): boolean => {
    const [group, name = ''] = key.split('.')
    if (literals.has(key)) return true
    // The editor names its own texts without the group, and some by their beginning.
    return group === 'editor' && (literals.has(name) || beginnings.some((beginning) => name.startsWith(beginning)))
  }
  assert.deepEqual(
    [...english.keys()].filter((key) => !isUsed(key)),
    [],
  )
})
