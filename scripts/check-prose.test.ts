import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkMarkdown, checkSubject, proseOfCode } from './lib/checks/prose.ts'

const messages = (text: string) => checkMarkdown(text).map(({ line, message }) => `${line}: ${message.slice(0, 24)}`)

test('the prose check rejects indefinite persons, banned phrases and bare addresses', () => {
  assert.deepEqual(messages('Fine.\n\nWhoever asks is told.'), ['3: "Whoever": name the acto'])
  assert.deepEqual(messages('The earlier ones stop to work.'), ['1: "stop to work": write: s'])
  assert.deepEqual(messages('| it ends with 0: genuine |'), ['1: "ends with 0:": write: E'])
  assert.deepEqual(messages('Send it to an address.'), ['1: "address": write URL, IP'])
})

test('the prose check rejects long sentences and long paragraphs', () => {
  assert.deepEqual(messages('word '.repeat(41)), ['1: a sentence of 41 words ('])
  assert.deepEqual(messages('A line.\n'.repeat(7)), ['1: a paragraph of 7 lines ('])
})

test('the prose check allows quoted terms, code, full names of addresses, and long tables', () => {
  assert.deepEqual(
    messages(`Use \`somebody\`.\n\n\`\`\`sh\n# nobody, address\n\`\`\`\n\nThe IP address of a client.`),
    [],
  )
  assert.deepEqual(messages(`${'word '.repeat(40)}`), [])
  assert.deepEqual(messages('| a | b |\n'.repeat(20)), [])
})

test('comments and texts of code are prose, identifiers are not', () => {
  assert.equal(proseOfCode("const nobody = 'Nobody' // whoever\n").trim(), "'Nobody' // whoever")
})

test('a commit subject has at most 72 characters', () => {
  assert.equal(checkSubject('x'.repeat(72)), undefined)
  assert.equal(checkSubject('x'.repeat(73)), 'a subject of 73 characters (limit 72)')
})

/** Runs the command on a folder that contains these files. */
async function checkFolder(t: TestContext, files: Record<string, string>, prepare: (dir: string) => void = () => {}) {
  const dir = await mkdtemp(join(tmpdir(), 'platen-check-prose-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(dir, dirname(file)), { recursive: true })
    await writeFile(join(dir, file), text)
  }
  prepare(dir)
  return spawnSync(process.execPath, [join(import.meta.dirname, 'check-prose.ts'), dir], { encoding: 'utf8' })
}

test('the command exits with status 1 and prints file and line of each finding', async (t) => {
  const files = {
    'docs/A.md': 'Fine.\n\nNobody knows.\n',
    'src/a/problems.ts': "const a = 1\nconst title = 'There is no such order'\n",
  }
  const { status, stderr } = await checkFolder(t, files)
  assert.equal(status, 1)
  assert.match(stderr, /^docs\/A\.md:3\n/m)
  assert.match(stderr, /^src\/a\/problems\.ts:2\n/m)
})

test('the command passes a clean folder without a history', async (t) => {
  assert.equal((await checkFolder(t, { 'README.md': 'Fine.\n' })).status, 0)
})

const withoutGit = spawnSync('git', ['--version']).status !== 0

test('the command checks commit subjects', { skip: withoutGit }, async (t) => {
  const commit = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m']
  const { status, stderr } = await checkFolder(t, { 'README.md': 'Fine.\n' }, (cwd) => {
    spawnSync('git', ['init', '-q'], { cwd })
    spawnSync('git', [...commit, `docs: ${'x'.repeat(80)}`], { cwd })
  })
  assert.equal(status, 1)
  assert.match(stderr, /a subject of 86 characters/)
})
