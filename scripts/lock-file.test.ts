import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The part of package-lock.json that is read here. Keys are paths. */
type Packages = Record<
  string,
  { integrity?: string; resolved?: string; link?: boolean; optionalDependencies?: Record<string, string> }
>

const lockFile = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')
const packages: Packages = JSON.parse(lockFile).packages
const fromRegistry = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link)

// npm leaves out the packages of other systems where node_modules exists, and npm ci refuses such a lock file.
test('the lock file has the packages of every system', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    ),
  )
  assert.deepEqual(missing, [], 'CONTRIBUTING.md, Habits, states how to write it')
})

test('the lock file has a checksum for each package, and names no registry', () => {
  const paths = (condition: (entry: Packages[string]) => boolean) =>
    fromRegistry.filter(([, entry]) => condition(entry)).map(([path]) => path)
  assert.deepEqual(
    paths(({ integrity }) => integrity === undefined),
    [],
  )
  assert.deepEqual(
    paths(({ resolved }) => resolved !== undefined),
    [],
  )
})
