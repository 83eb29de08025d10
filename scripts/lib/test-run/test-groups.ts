import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Maximum number of test files in one process. With larger groups, a core would be idle at the end. */
const MOST = 16

/** Time for a process to end by itself after its tests. If something keeps it running, it is ended then. */
const GRACE_MS = 3_000

/**
 * Matches files with global hooks or mocked built-in modules. These run in a process of their own, because they would
 * affect all files of a group.
 */
const NEEDS_ITS_OWN_PROCESS = /^(before|beforeEach|afterEach)\(|syncBuiltinESMExports|mock\.timers/m

interface Group {
  /** A folder, or a file that needs a process of its own. */
  area: string
  members: string[]
}

/**
 * Groups the test files of each area (`src/auth`, `test`) into processes, because loading the service takes longer than
 * running most of its tests.
 *
 * @param folder folder for the modules that load the files of a group
 * @returns the modules for the test runner, one for each process
 */
export function groupTestFiles(files: readonly string[], folder: string): string[] {
  const groups: Group[] = []
  for (const file of files) {
    const isAlone = NEEDS_ITS_OWN_PROCESS.test(readFileSync(file, 'utf8'))
    const area = isAlone ? file : areaOf(file)
    const open = groups.findLast((group) => group.area === area)
    if (open === undefined || open.members.length === MOST) groups.push({ area, members: [file] })
    else open.members.push(file)
  }
  return mergeSmall(groups).map(({ members }, index) => {
    const group = join(folder, `${index}.mjs`)
    writeFileSync(group, moduleOf(members))
    return group
  })
}

/** Joins the groups of neighbouring areas that have few files, within the same folder of the project. */
function mergeSmall(groups: readonly Group[]): Group[] {
  const merged: Group[] = []
  for (const group of groups) {
    const open = merged.findLast(({ area }) => !isFile(area) && folderOf(area) === folderOf(group.area))
    const isSmall = (open?.members.length ?? MOST) + group.members.length <= MOST
    if (open !== undefined && isSmall && !isFile(group.area)) open.members.push(...group.members)
    else merged.push({ area: group.area, members: [...group.members] })
  }
  return merged
}

const isFile = (area: string): boolean => area.endsWith('.ts')
const folderOf = (area: string): string | undefined => area.split('/', 1)[0]

/**
 * Returns the module that runs a group of test files. Its tests start after all files are loaded, because the process
 * would otherwise end when the tests of the first files have run. A file that cannot be loaded results in a failed
 * test, and a process that ends early results in a failure. If something keeps the process running after its tests, it
 * writes what it is, and is ended. The test runner writes its summary at `beforeExit`, which would not occur then, so it
 * is emitted. The option `forceExit` of the runner is not used, because it loses some results.
 */
function moduleOf(files: readonly string[]): string {
  const addresses = files.map((file) => pathToFileURL(resolve(file)).href)
  return `import { after, before, test } from 'node:test'
const loaded = Promise.withResolvers()
before(() => loaded.promise)
let isOver = false
after(() => {
  isOver = true
  setTimeout(() => {
    console.error('Kept running by', process.getActiveResourcesInfo(), 'after the tests of', addresses)
    process.emit('beforeExit', 0)
    exitWhenWritten()
  }, ${GRACE_MS}).unref()
})
const exitWhenWritten = () =>
  setTimeout(() => (process.stdout.writableLength === 0 ? process.exit() : exitWhenWritten()), 100)
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
