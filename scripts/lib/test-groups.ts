import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** As many test files share a process at most: more would leave a core idle at the end. */
const MOST = 8

/** For what a process has still to write when its tests are over, should something in it be left open. */
const GRACE_MS = 3_000

/** Such hooks would be those of all, and what is exchanged in Node itself would be so for all. */
const NEEDS_ITS_OWN_PROCESS = /^(before|beforeEach|afterEach)\(|syncBuiltinESMExports|mock\.timers/m

/**
 * Puts test files of one area (`src/auth`, `test`) together, so that they share a process: loading the service takes
 * longer than most of its tests.
 *
 * @param folder takes a module for each group, which loads its files
 * @returns what the test runner is to run: a module for each process
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
 * Tests begin when all are known: the process would otherwise end with the last of those that are known. A file that
 * cannot be loaded is a test that fails, and a process that ends before all have run has failed. One in which something
 * is left open ends all the same, but not before it has told its results: the runner's own `forceExit` loses some.
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
