// Runs every test with Node's test runner. Arguments select files by a part of their path: node scripts/test.mjs src/orders
// All test files share one PostgreSQL server (PLATEN_TEST_DATABASE_URL), and each file creates separate databases in it.

import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startTemporaryPostgres } from '../src/platform/postgres/testing/temporary.ts'
import { makeMemoryFolder } from './lib/test-run/memory-folder.ts'
import { rerunFailures } from './lib/test-run/rerun-failures.ts'
import { groupTestFiles } from './lib/test-run/test-groups.ts'

const PATTERNS = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'packages/**/*.test.ts',
  'web/**/*.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
  'fuzz/**/*.test.ts',
]
/** Timeout of one process, which runs several test files. On a slow computer, they take ten minutes. */
const TIMEOUT_MS = 1_800_000

const wanted = process.argv.slice(2)
const files = globSync(PATTERNS)
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()

if (files.length === 0) {
  process.stderr.write('No test file matches. Use a part of a path, such as src/orders.\n')
  process.exit(1)
}

// Temporary files, mainly databases, are stored in memory if possible. If TMPDIR is set, it is used instead.
const memory = process.env['TMPDIR'] === undefined ? makeMemoryFolder() : undefined
if (memory !== undefined) {
  process.env['TMPDIR'] = memory
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.once(signal, () => process.exit(code))
  }
  process.on('exit', () => rmSync(memory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
}

// Compiling modules takes half of the time of a test's start. With this cache, the modules are compiled only once for
// all processes.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/platen')

const server = await startTemporaryPostgres()
process.env['PLATEN_TEST_DATABASE_URL'] = server.connectionString

// Several test files at once would otherwise bundle the service.
execFileSync(process.execPath, [join(import.meta.dirname, 'build-service.ts')])
const execArgv = ['--import', join(import.meta.dirname, 'lib/build/run-bundles.ts')]

let succeeded = false
const groupFolder = mkdtempSync(join(tmpdir(), 'platen-tests-'))
process.on('exit', () => rmSync(groupFolder, { recursive: true, force: true }))
// The tests in test/ take longest. They start first, because otherwise a core would be idle at the end.
const groups = groupTestFiles(files, groupFolder).reverse()
// Each group is a process, and some tests start a service. More processes than cores would only wait for each other.
const runAll = (modules) => run({ files: modules, concurrency: availableParallelism(), timeout: TIMEOUT_MS, execArgv })
// A run of chosen files is one of a developer, who wants to see each failure at once.
const rerunnable = new Set(wanted.length === 0 ? files.map((file) => resolve(file)) : [])
const tests = Readable.from(rerunFailures(runAll, groups, rerunnable))
const silent = new Set(groups)
tests.on('data', ({ type, data }) => {
  if (type !== 'test:summary') return
  if (data.file === undefined) succeeded = data.success
  else silent.delete(data.file)
})
tests.compose(new spec()).pipe(process.stdout)
await finished(tests)
await server.stop()
// If a process wrote no results, the run must not count as successful.
for (const group of silent) process.stderr.write(`No results of ${group}\n`)
process.exitCode = succeeded && silent.size === 0 ? 0 : 1
