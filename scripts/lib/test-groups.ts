import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Maximum number of test files per process. Larger groups would leave a core idle at the end. */
const MOST = 8

/** Time for a process to write its results after its tests, if something keeps it open. */
const GRACE_MS = 3_000

/** Files with global hooks or mocked built-ins run in their own process, because these would affect the whole group. */
const NEEDS_ITS_OWN_PROCESS = /^(before|beforeEach|afterEach)\(|syncBuiltinESMExports|mock\.timers/m

/**
 * Groups the test files of one area (`src/auth`, `test`) into processes. Loading the service takes longer than most of its
 * tests.
 *
 * @param folder where to write one module for each group, which loads its files
 * @returns the modules for the test runner, one for each process
 */
export function groupTestFiles(files: readonly string[], folder: string): string[] {
  const groups: { area: string; members: string[] }[] = []
  for (const file of files) {
    const isAlone = NEEDS_ITS_OWN_PROCESS.test(readFileSync(file, 'utf8'))
    const area = isAlone ? file : areaOf(file)
    const open = groups.findLast((group) => group.area === area)
    if (open === undefined || open.members.length === MOST) groups.push({ area, members: [file] })
    else open.members.push(file)
  }
  return groups.map(({ members }, index) => {
    const group = join(folder, `${index}.mjs`)
    writeFileSync(group, moduleOf(members))
    return group
  })
}

/**
 * Tests start after all files are loaded, because the process would otherwise end with the tests loaded so far. A file
 * that cannot be loaded is a failed test, and a process that ends early has failed. A process that something keeps open
 * is ended after it has written its results: the runner's own `forceExit` loses some.
 */
function moduleOf(files: readonly string[]): string {
  const addresses = files.map((file) => pathToFileURL(resolve(file)).href)
  return `import { after, before, test } from 'node:test'
const loaded = Promise.withResolvers()
before(() => loaded.promise)
let isOver = false
after(() => {
  isOver = true
  setTimeout(() => process.exit(), ${GRACE_MS}).unref()
})
const addresses = ${JSON.stringify(addresses)}
process.on('exit', () => {
  if (isOver) return
  console.error('The process ended before all tests of these had run:', ...addresses)
  process.exitCode = 1
})
for (const address of addresses) {
  await import(address).catch((error) => {
    test('loading ' + address, () => Promise.reject(error))
  })
}
loaded.resolve()
`
}

function areaOf(file: string): string {
  return dirname(file).split('/').slice(0, 2).join('/')
}
