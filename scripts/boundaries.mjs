// Checks the import rules of .dependency-cruiser.mjs, that the folders of a feature do not import each other in a cycle,
// and that only src/config reads the environment.
// Usage: node scripts/boundaries.mjs [another folder with a src]

import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'
import { ACYCLIC, ACYCLIC_ON_TOP, boundaries, TESTS } from '../.dependency-cruiser.mjs'
import { findFolderCycles } from './lib/checks/folder-cycles.mjs'

// dependency-cruiser does not tell the parser which files contain JSX.
const swc = createRequire(import.meta.url)('@swc/core')
const { parseFileSync } = swc
swc.parseFileSync = (file, settings) => parseFileSync(file, { ...settings, tsx: file.endsWith('.tsx') })

process.chdir(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
const ruleSet = { forbidden: boundaries.forbidden }

const folders = ['src', ...globSync('{packages,web}/*/src')]
const { output } = await cruise(folders, { ...boundaries.options, ruleSet, validate: true, outputType: 'json' })
const result = typeof output === 'string' ? JSON.parse(output) : output
const complaints = result.summary.violations.map(
  ({ from, to, rule }) => `${from} → ${to}\n    ${rule.name}: ${commentOf(rule.name)}`,
)

// Without a suitable parser, dependency-cruiser would read no modules and report no violations.
const files = globSync('{src,packages/*/src,web/*/src}/**/*.{ts,tsx}')
const read = new Set(result.modules.map(({ source }) => source))
const unread = files.filter((file) => !read.has(file))
if (unread.length > 0) complaints.push(`not checked: ${unread.join(', ')}`)

const isTest = new RegExp(TESTS)
const imports = result.modules
  .filter(({ source }) => !isTest.test(source))
  .flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => [source, resolved]))
const complainOfCycles = (folder, edges) => {
  for (const cycle of findFolderCycles(folder, edges)) {
    complaints.push(`${cycle.join(' → ')}\n    no-folder-cycles: the folders of ${folder} form layers.`)
  }
}
for (const folder of ACYCLIC) complainOfCycles(folder, imports)
for (const folder of ACYCLIC_ON_TOP) {
  const flatten = (file) => file.replace(new RegExp(`^(${folder}/[^/]+/).*/`), '$1')
  complainOfCycles(
    folder,
    imports.map((edge) => edge.map(flatten)),
  )
}

const READS_ENVIRONMENT =
  /\bprocess\s*(\??\.\s*env\b|\[\s*['"]env['"])|import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*'(node:)?process'/
const ENVIRONMENT_READERS = ['src/config/config.ts', 'src/config/client-variables.ts']
for (const file of files) {
  if (ENVIRONMENT_READERS.includes(file) || /\.(test|fixture)\.ts$|(^|\/)factory\.ts$/.test(file)) continue
  if (READS_ENVIRONMENT.test(readFileSync(file, 'utf8'))) {
    complaints.push(
      `${file}\n    only-config-reads-the-environment: every setting is declared in src/config/settings.ts.`,
    )
  }
}

function commentOf(name) {
  return boundaries.forbidden.find((rule) => rule.name === name)?.comment ?? ''
}

for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
process.stdout.write(`${files.length} modules checked, ${complaints.length} violations.\n`)
process.exitCode = complaints.length === 0 ? 0 : 1
