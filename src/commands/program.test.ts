import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { SOURCES } from '../../scripts/lib/service-process.ts'
import type { CommandLine } from './command-line/command.ts'
import { platen, platenHere } from './platen.fixture.ts'
import { createProgram } from './program.ts'

const COMMANDS = createProgram().leaves

/** Returns a command line that is valid for a command, except that the values are `x`. */
function callOf(command: CommandLine): string[] {
  const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [String(long), 'x'])
  const values = command.registeredArguments.filter(({ required }) => required).map(() => 'x')
  return [...command.path.split(' ').slice(1), ...values, ...needed]
}

async function emptyFolder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-program-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}

for (const command of COMMANDS) {
  test(`${command.path} rejects unknown options and extra arguments with status 2, and does nothing`, async (t) => {
    const dir = await emptyFolder(t)
    process.env['PLATEN_DATA_DIR'] = join(dir, 'data')
    t.after(() => delete process.env['PLATEN_DATA_DIR'])
    const wrong: [string[], RegExp][] = [[[...callOf(command), '--xyzzy'], /^platen: Unknown option '--xyzzy'\. /]]
    const optional = command.registeredArguments.filter(({ required }) => !required).map(() => 'x')
    if (!command.registeredArguments.some(({ variadic }) => variadic)) {
      wrong.push([[...callOf(command), ...optional, 'extra'], /^platen: Too many arguments for '.*'\. .*: .*extra\. /])
    }
    for (const [args, message] of wrong) {
      const { code, out, err } = await platenHere(args)
      assert.deepEqual([code, out], [2, ''], `${args.join(' ')}: ${err}`)
      assert.match(err, message)
      assert.match(err, new RegExp(` Run "${command.path} --help" for the usage\\.\n$`))
    }
    assert.deepEqual(await readdir(dir), [])
  })
}

test('an option of another command is unknown, so a dry run never revokes keys', async () => {
  const { code, err } = await platen(['keys', 'rotate', '--revoke', '--purpose', 'all', '--dry-run'])
  assert.deepEqual(
    [code, err],
    [2, 'platen: Unknown option \'--dry-run\'. Run "platen keys rotate --help" for the usage.\n'],
  )
  const names = new Set(COMMANDS.flatMap(({ options }) => options.map(({ long }) => String(long))))
  for (const command of COMMANDS) {
    for (const name of names.difference(new Set(command.options.map(({ long }) => String(long))))) {
      const { code, err } = await platenHere([...callOf(command), name])
      assert.deepEqual([code, err.includes(`Unknown option '${name}'`)], [2, true], `${command.path} ${name}`)
    }
  }
})

test('a group without a command prints its help to standard error, with status 2', async () => {
  for (const [args, usage] of [
    [[], 'Usage: platen [options] [command]'],
    [['keys'], 'Usage: platen keys [options] [command]'],
  ] as const) {
    const { code, out, err } = await platen(args)
    assert.deepEqual([code, out, err.split('\n')[0]], [2, '', usage])
  }
  for (const args of [['nonsense'], ['keys', 'nonsense'], ['help', 'keys', 'nonsense']]) {
    const { code, err } = await platenHere(args)
    assert.equal(code, 2)
    assert.match(err, /nonsense.* Run "platen.* --help" for the usage\.\n$/)
  }
})

test('every command has help with its usage, its options and its exit statuses', async () => {
  for (const command of COMMANDS) {
    const help = command.helpInformation()
    assert.ok(help.startsWith(`Usage: ${command.path} `), help)
    assert.match(command.description(), /^[A-Z][a-z]+ [^.]*$/, 'one imperative sentence without a full stop')
    for (const { long, description, mandatory, required } of command.options) {
      const hasDefault = !required || mandatory || description.includes('(default: ')
      assert.ok(hasDefault, `${command.path} ${long} does not tell its default`)
    }
  }
  const [direct, through] = [await platen(['keys', 'rotate', '--help']), await platen(['help', 'keys', 'rotate'])]
  assert.deepEqual(direct, through)
  assert.equal(direct.code, 0)
  assert.match(
    direct.out,
    /^Usage: platen keys rotate \[options\]\n.*--purpose.*\nExit status:\n {2}0 {2}the keys were rotated\n/s,
  )
})

test('README.md describes every command', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'))
  for (const command of COMMANDS) {
    const [, first = '', last = ''] = command.path.split(' ')
    if (first === 'help') continue
    const isNamed = (row: string) =>
      row.includes(`\`platen ${first}`) && (last === '' || new RegExp(`\\b${last}\\b`).test(row))
    assert.ok(rows.some(isNamed), command.path)
  }
})

test('the help loads no package of the service', async (t) => {
  const dir = await emptyFolder(t)
  // In the bundle, packages have no files of their own.
  const env = { PATH: process.env['PATH'], NODE_V8_COVERAGE: dir }
  const { stdout } = await promisify(execFile)(process.execPath, [SOURCES, '--help'], { env })
  assert.match(stdout, /^Usage: platen /)
  const [file = ''] = await readdir(dir)
  const { result } = JSON.parse(await readFile(join(dir, file), 'utf8')) as { result: { url: string }[] }
  const packages = result.map(({ url }) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]).filter((name) => name)
  assert.deepEqual([...new Set(packages)], ['commander'])
})
