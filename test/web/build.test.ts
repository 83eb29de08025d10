import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const DIST = join(import.meta.dirname, '../../web/dist')

/** Returns the files that a script imports, directly or not, with their content. */
function importsOf(file: string, found = new Map<string, string>()): Map<string, string> {
  const text = readFileSync(file, 'utf8')
  found.set(file, text)
  for (const [, path = ''] of text.matchAll(/(?:from|import)\s*\(?["'`](\.[^"'`]+\.js)["'`]/g)) {
    const next = join(dirname(file), path)
    if (!found.has(next)) importsOf(next, found)
  }
  return found
}

test('the editor for pages of other origins contains no program of the shop', () => {
  const files = importsOf(join(DIST, 'embed/platen-editor.js'))
  assert.ok(files.size > 3, `${files.size} files`)
  // The name of the channel between tabs of the shop is in its session.
  assert.deepEqual(
    [...files].filter(([, text]) => text.includes('platen shop session')).map(([file]) => file),
    [],
  )
})
