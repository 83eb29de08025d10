import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { printable, writeError, writeJson, writeLine } from './terminal.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/**
 * Control characters (C0, DEL and C1), line and paragraph separators, and the marks, overrides and isolates that change
 * the direction of text.
 */
const DISRUPTIVE = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  ...[0x61c, 0x200e, 0x200f],
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x2069),
]

/** Returns what a function writes to its output. */
function written(write: (out: { write(text: string): boolean }) => void): string {
  let all = ''
  write({
    write: (text) => {
      all += text
      return true
    },
  })
  return all
}

test('a line contains no character that moves the cursor, ends the line or changes the text direction', () => {
  for (const code of DISRUPTIVE) {
    const escaped = `a\\u{${code.toString(16)}}b`
    const text = `a${String.fromCodePoint(code)}b`
    assert.equal(printable(text), escaped)
    for (const write of [writeLine, writeError])
      assert.equal(
        written((out) => write(text, out as never)),
        `${escaped}\n`,
      )
  }
  for (const text of ['Zoë, 東京', 'محمد', 'שלום', '👩‍🎨 e\u0301']) assert.equal(printable(text), text)
})

test('JSON escapes characters that could change the terminal, and parses to the original', () => {
  for (const code of DISRUPTIVE) {
    const value = { [`key${String.fromCodePoint(code)}`]: [`a${String.fromCodePoint(code)}b`, '\\', 'محمد'] }
    const json = written((out) => writeJson(value, out as never))
    assert.equal(printable(json.replaceAll('\n', '')), json.replaceAll('\n', ''))
    assert.deepEqual(JSON.parse(json), value)
  }
})

test('commands write text through these functions only', () => {
  const commands = join(import.meta.dirname, '..')
  for (const name of globSync('**/*.ts', { cwd: commands })) {
    // A prompt shows its questions, and `platen api` writes a response as it is.
    if (/\.(test|fixture)\.ts$|(^|\/)(terminal|prompt|response-body)\.ts$/.test(name)) continue
    const lines = readFileSync(join(commands, name), 'utf8').split('\n')
    const writing = lines.filter((line) => /\.write\(|console\./.test(line) && !line.includes('printPickList'))
    assert.deepEqual(writing, [], name)
  }
})
