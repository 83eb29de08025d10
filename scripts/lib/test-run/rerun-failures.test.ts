import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const RUN = `import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { Readable } from 'node:stream'
import { rerunFailures } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'rerun-failures.ts')).href)}
const files = process.argv.slice(2)
const tests = Readable.from(rerunFailures((modules) => run({ files: modules }), files, new Set(files)))
tests.on('data', ({ type, data }) => {
  if (type === 'test:summary' && data.file === undefined) process.exitCode = data.success ? 0 : 1
})
tests.compose(new spec()).pipe(process.stdout)`

/** A test with a subtest that fails the given number of times. */
const failing = (times: number) => `import { test } from 'node:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
test('a sale', async (t) => {
  await t.test('is paid', () => {})
  await t.test('is refunded', () => {
    const log = import.meta.filename + '.log'
    const runs = existsSync(log) ? Number(readFileSync(log, 'utf8')) : 0
    writeFileSync(log, String(runs + 1))
    if (runs < ${times}) throw new Error('the refund is missing')
  })
})`

async function runFiles(t: TestContext, ...contents: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'platen-rerun-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const files = contents.map((content, index) => {
    const file = join(folder, `${index}.test.mjs`)
    writeFileSync(file, content)
    return file
  })
  const runner = join(folder, 'run.mjs')
  writeFileSync(runner, RUN)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(process.execPath, [runner, ...files], { env }, (_error, stdout) =>
      resolve({ code: child.exitCode ?? -1, output: stdout }),
    )
  })
  const counts = (name: string) =>
    [...output.matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, 'gm'))].map(([, n]) => Number(n))
  return { code, output, files, counts }
}

test('a file that fails beside others and passes alone is named, and does not fail the run', async (t) => {
  const { code, output, files, counts } = await runFiles(t, failing(1), failing(0))
  assert.equal(code, 0, output)
  assert.match(output, /the refund is missing/)
  assert.ok(output.includes(`passed when run again: ${files[0]}`), output)
  assert.deepEqual([counts('tests'), counts('pass'), counts('fail')], [[6], [6], [0]])
})

test('a file that fails again fails the run', async (t) => {
  const { code, output, files, counts } = await runFiles(t, failing(2), failing(0))
  assert.equal(code, 1, output)
  assert.ok(output.includes(`failed when run again: ${files[0]}`), output)
  assert.deepEqual([counts('tests'), counts('pass'), counts('fail')], [[6], [4], [2]])
})

test('if many files fail, the run fails', async (t) => {
  const { code, output, counts } = await runFiles(t, ...Array.from({ length: 6 }, () => failing(1)))
  assert.equal(code, 1, output)
  assert.deepEqual([counts('tests'), counts('pass'), counts('fail')], [[18], [14], [4]])
})

test('a process that ends before its tests fails the run', async (t) => {
  const { code, output } = await runFiles(t, 'process.exit(1)', failing(0))
  assert.equal(code, 1, output)
})
