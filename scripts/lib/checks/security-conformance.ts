import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REQUIREMENT_PARTS, SECURITY_REQUIREMENTS } from './security-requirements.ts'

const ROOT = join(import.meta.dirname, '../../..')

interface NamedTest {
  name: string
  file: string
}

/** Matches the calls of `test` whose name begins with ids of requirements, such as `test('MF-4, SU-2: ...`. */
const NAMED = /^\s*(?:await )?(?:t\.)?test\(\s*(['"`])((?:[A-Z]{2}-\d+(?:, )?)+): ((?:\\.|(?!\1).)*)\1/gm

export function testsByRequirement(): Map<string, NamedTest[]> {
  const found = new Map<string, NamedTest[]>()
  for (const file of globSync('{src,test}/**/*.test.ts', { cwd: ROOT }).sort()) {
    for (const [, , ids = '', name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(NAMED)) {
      for (const id of ids.split(', ')) found.set(id, [...(found.get(id) ?? []), { name, file }])
    }
  }
  return found
}

export function conformanceDocument(): string {
  const tests = testsByRequirement()
  const lines = [
    '# Security conformance',
    '',
    '<!-- Made by `node scripts/security-conformance.ts` from the requirements in `scripts/lib/checks/security-requirements.ts` and',
    'the names of the tests; `npm test` checks that it is up to date and that every requirement has a test. -->',
    '',
    'The guarantees of sign-in and access, the tests that verify them, and the chapters of the OWASP Application Security',
    'Verification Standard 5.0 (ASVS) that they cover. Each test fails if the code that it verifies is removed.',
    '',
    ...Object.entries(REQUIREMENT_PARTS).flatMap(([letters, title]) => part(letters, title, tests)),
    '## By chapter of the ASVS',
    '',
    '| ASVS 5.0 | Requirements |',
    '| --- | --- |',
    ...chapters().map(([chapter, ids]) => `| ${chapter} | ${ids.join(', ')} |`),
    '',
  ]
  return lines.join('\n')
}

function part(letters: string, title: string, tests: ReadonlyMap<string, NamedTest[]>): string[] {
  const rows = SECURITY_REQUIREMENTS.filter(({ id }) => id.startsWith(`${letters}-`)).map(({ id, guarantee, asvs }) => {
    const shown = (tests.get(id) ?? []).map(
      ({ name, file }) => `${escaped(name)} ([${file.split('/').at(-1)}](../${file}))`,
    )
    return `| ${id} | ${guarantee} | ${asvs.join(', ')} | ${shown.join('<br>')} |`
  })
  return [`## ${title}`, '', '| Id | Guarantee | ASVS | Tests |', '| --- | --- | --- | --- |', ...rows, '']
}

function escaped(text: string): string {
  return text.replaceAll("\\'", "'").replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

function chapters(): [string, string[]][] {
  const byChapter = new Map<string, string[]>()
  for (const { id, asvs } of SECURITY_REQUIREMENTS) {
    for (const chapter of asvs) byChapter.set(chapter, [...(byChapter.get(chapter) ?? []), id])
  }
  return [...byChapter].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}
