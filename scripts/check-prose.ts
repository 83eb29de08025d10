// Checks the language of documentation, messages, comments and commit subjects. Usage: node scripts/check-prose.ts [folder]
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { checkMarkdown, checkPhrases, checkSubject, type ProseFinding, proseOfCode } from './lib/checks/prose.ts'

const COMMITS = 50

/**
 * Files that are not checked: they are generated from names of tests, record the past, or contain the rules themselves.
 */
const EXEMPT = [
  'docs/SECURITY-CONFORMANCE.md',
  'docs/GLOSSARY.md',
  'CHANGELOG.md',
  'fuzz/FINDINGS.md',
  'scripts/lib/checks/prose.ts',
]

const root = process.argv[2] ?? join(import.meta.dirname, '..')
let findings = 0

function report(place: string, found: readonly ProseFinding[]): void {
  for (const { line, message } of found) process.stderr.write(`${place}:${line}\n    ${message}\n`)
  findings += found.length
}

const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: root }).filter((file) => !file.endsWith('.test.ts') && !EXEMPT.includes(file))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

for (const file of files('*.md', 'docs/**/*.md', 'src/**/*.md', 'test/**/*.md', 'fuzz/*.md', 'packages/*/*.md'))
  report(file, checkMarkdown(read(file)))

for (const file of files(
  '{src,bench,fuzz,test}/**/*.ts',
  '{packages,web}/*/{src,test}/**/*.{ts,tsx}',
  'scripts/**/*.{ts,mjs}',
))
  report(file, checkPhrases(proseOfCode(read(file))))

// An unpacked release has no Git history, a shallow clone has a short one, and Git may not be installed.
const log = existsSync(join(root, '.git'))
  ? spawnSync('git', ['log', `-${COMMITS}`, '--no-merges', '--format=%h %s'], { cwd: root, encoding: 'utf8' })
  : { status: 1, stdout: '' }
for (const commit of log.status === 0 ? log.stdout.trim().split('\n') : []) {
  const [hash = '', ...subject] = commit.split(' ')
  const message = checkSubject(subject.join(' '))
  if (message !== undefined) report(`commit ${hash}`, [{ line: 1, message }])
}

if (findings > 0) process.stderr.write('CONTRIBUTING.md has the rules of language, docs/GLOSSARY.md the terms.\n')
process.exitCode = findings > 0 ? 1 : 0
