import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { groupTestFiles } from './test-groups.ts'

const RUN = `import { run } from 'node:test'
const summaries = []
const tests = run({ files: process.argv.slice(2) })
tests.on('test:summary', (summary) => summaries.push(summary))
tests.on('data', () => {})
tests.on('end', () => console.log(JSON.stringify(summaries)))`

/** Runs a group of test files like `npm test`. */
async function runGroup(t: TestContext, ...contents: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'platen-groups-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const files = contents.map((content, index) => {
    const file = join(folder, `${index}.test.mjs`)
    writeFileSync(file, `import { test } from 'node:test'\n${content}`)
    return file
  })
  const groups = groupTestFiles(files, folder)
  assert.equal(groups.length, 1)
  const runner = join(folder, 'run.mjs')
  writeFileSync(runner, RUN)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [runner, ...groups], { env }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
  })
  const summaries: { file?: string; success: boolean; counts: { passed: number; failed: number } }[] =
    JSON.parse(output)
  return {
    ofGroup: summaries.find(({ file }) => file === groups[0])?.counts,
    hasSucceeded: summaries.find(({ file }) => file === undefined)?.success,
  }
}

test('a process that something keeps running after its tests writes its results', async (t) => {
  const { ofGroup, hasSucceeded } = await runGroup(
    t,
    "test('leaves a timer', () => { setInterval(() => {}, 1_000) })",
    "test('passes', () => {})",
  )
  assert.deepEqual([ofGroup?.passed, ofGroup?.failed, hasSucceeded], [2, 0, true])
})

test('a failure in a process that something keeps running is a failure of the run', async (t) => {
  const { ofGroup, hasSucceeded } = await runGroup(
    t,
    "test('leaves a timer', () => { setInterval(() => {}, 1_000) })",
    "test('fails', () => { throw new Error('failed') })",
  )
  assert.deepEqual([ofGroup?.passed, ofGroup?.failed, hasSucceeded], [1, 1, false])
})

test('a process that ends before its tests is a failure of the run', async (t) => {
  const { hasSucceeded } = await runGroup(t, "test('passes', () => {})", 'process.exit(0)')
  assert.equal(hasSucceeded, false)
})
