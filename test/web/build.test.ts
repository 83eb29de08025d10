import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import messages from '../../packages/ui/messages/en.json' with { type: 'json' }

const DIST = join(import.meta.dirname, '../../web/dist')
const STATIC = join(DIST, 'static')

const ANY_IMPORT = /(?:from|import)\s*\(?["'`](\.[^"'`]+\.js)["'`]/g
/** Imports that take place before the script runs. */
const EARLY_IMPORT = /(?:from|import)\s*["'`](\.[^"'`]+\.js)["'`]/g

/** Returns the files that a script imports, directly or not, with their content. */
function importsOf(file: string, pattern: RegExp, found = new Map<string, string>()): Map<string, string> {
  const text = readFileSync(file, 'utf8')
  found.set(file, text)
  for (const [, path = ''] of text.matchAll(pattern)) {
    const next = join(dirname(file), path)
    if (!found.has(next)) importsOf(next, pattern, found)
  }
  return found
}

const scripts = (): string[] => readdirSync(STATIC)
const readScript = (name: string): string => readFileSync(join(STATIC, name), 'utf8')

/** Returns the only script of a name, whose file name ends with a hash. */
function scriptOf(name: string): string {
  const found = scripts().filter((file) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file))
  assert.equal(found.length, 1, `${name}: ${found}`)
  return join(STATIC, found[0] ?? '')
}

/** Returns the scripts that a page loads without an action of the customer. */
function scriptsOf(names: readonly string[], groups: readonly (keyof typeof messages)[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of names) importsOf(scriptOf(name), EARLY_IMPORT, found)
  for (const group of groups) {
    const [file, ...others] = scripts()
      .filter((name) => /^en-[\w-]{8}\.js$/.test(name))
      .filter((name) => Object.keys(messages[group]).every((key) => readScript(name).includes(key)))
    assert.ok(file !== undefined && others.length === 0, `${group}: ${file} ${others}`)
    found.set(join(STATIC, file), readScript(file))
  }
  return found
}

const gzippedBytes = (files: ReadonlyMap<string, string>): number =>
  [...files.keys()].reduce((sum, file) => sum + statSync(`${file}.gz`).size, 0)

test('the editor for pages of other origins contains no program of the shop', () => {
  const files = importsOf(join(DIST, 'embed/platen-editor.js'), ANY_IMPORT)
  assert.ok(files.size > 3, `${files.size} files`)
  // The name of the channel between tabs of the shop is in its session.
  assert.deepEqual(
    [...files].filter(([, text]) => text.includes('platen shop session')).map(([file]) => file),
    [],
  )
})

test('the scripts of the first page are smaller than 130 kB', () => {
  const bytes = gzippedBytes(scriptsOf(['shop'], ['common', 'shop']))
  assert.ok(bytes > 50_000 && bytes < 130_000, `${bytes} bytes`)
})

// The shaper is apart. Dialogs and the schemas of documents are loaded when they are needed.
test('the scripts of the page of the editor are smaller than 345 kB', () => {
  const files = scriptsOf(['shop', 'design-page', 'editor', 'engine'], ['common', 'shop', 'editor'])
  const bytes = gzippedBytes(files)
  assert.ok(bytes > 200_000 && bytes < 345_000, `${bytes} bytes`)
})
