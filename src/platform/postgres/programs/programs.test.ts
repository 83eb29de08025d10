import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { access, chmod, chown, cp, lstat, mkdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { dataDirWithDatabase, emptyDataDir, query, startServer, startService } from '../testing/service-process.ts'
import { describeBinaries, findBinaries, prepareLibraries } from './binaries.ts'
import { isRunning } from './processes.ts'

const isRoot = process.getuid?.() === 0
const onlyAsRoot = { skip: isRoot ? false : 'root only' }
const ORDINARY = { uid: 65_534, gid: 65_534 }
const HERE = fileURLToPath(new URL('.', import.meta.url))

/** If only root can read the project, other users cannot run it. */
const asAnotherUser = {
  skip:
    !isRoot || spawnSync('test', ['-r', HERE], ORDINARY).status !== 0 ? 'another user cannot run the project' : false,
}

/** Copies the package without symbolic links, as npm installs it without install scripts. */
async function copyWithoutLinks(t: TestContext): Promise<string> {
  const base = await emptyDataDir(t)
  const copy = join(base, 'package')
  const source = dirname((await findBinaries()).root)
  await cp(source, copy, { recursive: true, filter: async (path) => !(await lstat(path)).isSymbolicLink() })
  return copy
}

test('the programs run even if npm has created no links to their libraries', async (t) => {
  const packageFolder = await copyWithoutLinks(t)
  const dataDir = await emptyDataDir(t)
  await startServer(t, dataDir, { binaries: await describeBinaries(packageFolder) })
  assert.deepEqual(await query(dataDir, 'select 1 as one'), [{ one: 1 }])
  const binaries = await describeBinaries(packageFolder)
  assert.equal(await readlink(join(binaries.root, 'lib', 'libpq.so.5')).catch(() => 'none on macOS'), 'libpq.so.5.18')
})

// Uses sysfs of Linux as a package folder that is not writable, because even root cannot write to it.
test('if the package folder is not writable, the links are created in the data folder', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const base = await emptyDataDir(t)
  await mkdir(join(base, 'native'))
  await writeFile(join(base, 'package.json'), '{ "version": "18.0.0" }')
  const link = { source: 'native/libpq.so.5.18', target: '../../../../../../sys/kernel/libpq.so.5' }
  await writeFile(join(base, 'native', 'pg-symlinks.json'), JSON.stringify([link]))
  const fallback = join(base, 'links')
  const binaries = await describeBinaries(base)
  for (const time of ['first', 'second']) {
    const env = await prepareLibraries(binaries, fallback)
    assert.equal(env['LD_LIBRARY_PATH'], `${fallback}:${join(base, 'native', 'lib')}`, time)
    assert.equal(await readlink(join(fallback, 'libpq.so.5')), join(base, 'native', 'libpq.so.5.18'))
  }
})

test('a server of replaced programs is stopped, and the new programs use its data', async (t) => {
  const packageFolder = await copyWithoutLinks(t)
  const dataDir = await dataDirWithDatabase(t)
  const service = startService(t, dataDir, { packageFolder })
  const { pid: old = 0 } = await service.waitFor('up')
  await query(dataDir, 'create table kept as select 42 as answer')
  await service.kill()
  await rm(packageFolder, { recursive: true })
  await startServer(t, dataDir)
  assert.equal(await isRunning(old), false)
  assert.deepEqual(await query(dataDir, 'select answer from kept'), [{ answer: 42 }])
})

test('as root, PostgreSQL runs as another user that owns only the database folder', onlyAsRoot, async (t) => {
  const dataDir = join(await emptyDataDir(t), 'data')
  const server = await startServer(t, dataDir)
  const owner = (await stat(join(dataDir, 'postgres'))).uid
  assert.notEqual(owner, 0)
  assert.equal((await stat(dataDir)).uid, 0)
  assert.equal((await stat(join(dataDir, 'postgres.log'))).uid, 0)
  assert.match(await readFile(`/proc/${server.pid()}/status`, 'utf8'), new RegExp(`^Uid:\t${owner}\t${owner}`, 'm'))
  assert.match(await readFile(`/proc/${server.pid()}/status`, 'utf8'), /^CapEff:\t0+$/m)
})

test('a data folder in a folder that only root can enter works as root', onlyAsRoot, async (t) => {
  const base = await emptyDataDir(t)
  await chmod(base, 0o700)
  const dataDir = join(base, 'data')
  await startServer(t, dataDir)
  assert.deepEqual(await query(dataDir, 'select 1 as one'), [{ one: 1 }])
})

test('programs in a folder that only root can enter work as root', onlyAsRoot, async (t) => {
  const packageFolder = await copyWithoutLinks(t)
  await chmod(dirname(packageFolder), 0o700)
  const dataDir = await emptyDataDir(t)
  await startServer(t, dataDir, { binaries: await describeBinaries(packageFolder) })
  assert.deepEqual(await query(dataDir, 'select 1 as one'), [{ one: 1 }])
})

test('a database folder that root restored is given to the user that runs PostgreSQL', onlyAsRoot, async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  spawnSync('chown', ['-R', '0:0', join(dataDir, 'postgres')])
  await startServer(t, dataDir)
  assert.notEqual((await stat(join(dataDir, 'postgres', 'base'))).uid, 0)
})

test('as root, a database folder of a user without a name is opened as that user', onlyAsRoot, async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  spawnSync('chown', ['-R', '54321:54321', join(dataDir, 'postgres')])
  await startServer(t, dataDir)
  assert.equal((await stat(join(dataDir, 'postgres', 'base'))).uid, 54_321)
})

test('if a user other than root starts the service, all files belong to that user', asAnotherUser, async (t) => {
  const dataDir = await emptyDataDir(t)
  await chown(dataDir, ORDINARY.uid, ORDINARY.gid)
  const { uid } = await startService(t, dataDir, ORDINARY).waitFor('up')
  assert.equal(uid, ORDINARY.uid)
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, ORDINARY.uid)
  assert.equal((await stat(join(dataDir, 'postgres.log'))).uid, ORDINARY.uid)
})

test('a database folder of another user is rejected with the command to change its owner', asAnotherUser, async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  const { message } = await startService(t, dataDir, { uid: 12_345, gid: 12_345 }).waitFor('failed')
  assert.match(message ?? '', /belongs to user \d+ and Platen runs as user 12345.*chown -R 12345/s)
  await access(join(dataDir, 'postgres', 'PG_VERSION'))
})
