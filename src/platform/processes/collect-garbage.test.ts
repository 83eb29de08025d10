import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const MODULE = new URL('./collect-garbage.ts', import.meta.url).href

const PROGRAM = `
import { setTimeout as delay } from 'node:timers/promises'
import { collectGarbageOfStart } from '${MODULE}'
globalThis.kept = Array.from({ length: 200_000 }, (_, index) => ({ index, text: 'left by a start ' + index }))
globalThis.kept = undefined
const before = process.memoryUsage().heapTotal
collectGarbageOfStart()
await delay(3_000)
console.log(JSON.stringify({ before, after: process.memoryUsage().heapTotal }))
`

test('a process gives the memory that its start took back to the system', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { encoding: 'utf8' })
  const { before, after } = JSON.parse(output)
  assert.ok(after < before / 2, `${before} bytes at first, ${after} later`)
})
