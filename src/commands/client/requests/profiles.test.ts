import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryDir } from '../../../../test/harness.ts'
import { withEnvironment } from '../client.fixture.ts'
import { profilesFile, removeProfile, storeProfile } from './profiles.ts'

const PROFILE = { url: 'http://127.0.0.1:1', apiKey: 'platen_stored', keyId: 'key_1' }

/** Runs a function that uses an empty folder of profiles. */
async function inEmptyFolder(t: TestContext, run: () => Promise<void>): Promise<void> {
  await withEnvironment({ XDG_CONFIG_HOME: await temporaryDir(t) }, run)
}

const storedNames = async () => Object.keys(JSON.parse(await readFile(profilesFile(), 'utf8'))).sort()

test('profiles that several commands store and remove at once do not overwrite one another', async (t) => {
  await inEmptyFolder(t, async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => storeProfile(name, PROFILE)))
    assert.deepEqual(await storedNames(), ['a', 'b', 'c', 'd'])
    await Promise.all([removeProfile('a'), storeProfile('e', PROFILE), removeProfile('b'), storeProfile('f', PROFILE)])
    assert.deepEqual(await storedNames(), ['c', 'd', 'e', 'f'])
    assert.deepEqual(await readdir(dirname(profilesFile())), ['profiles.json'])
  })
})

test('a lock that a killed command left is named, and a damaged file leaves none', async (t) => {
  await inEmptyFolder(t, async () => {
    await storeProfile('a', PROFILE)
    const lock = `${profilesFile()}.lock`
    await writeFile(lock, '')
    const message = new RegExp(
      `^Could not change the profiles: ${lock} exists\\. If no other .* is running, remove it\\.$`,
    )
    await assert.rejects(storeProfile('b', PROFILE), { message })
    assert.deepEqual([await storedNames(), (await readdir(dirname(lock))).length], [['a'], 2])
  })
  await inEmptyFolder(t, async () => {
    await storeProfile('a', PROFILE)
    await writeFile(profilesFile(), '{')
    await assert.rejects(storeProfile('b', PROFILE), { message: /does not contain profiles/ })
    assert.deepEqual(await readdir(dirname(profilesFile())), ['profiles.json'])
  })
})
