import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, stat, symlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { enableTotp, totpCode } from '../../../test/lib/second-factor.ts'
import { type ClientScene, startClientScene, startPlaten } from './client.fixture.ts'
import { openPrompt } from './sign-in/prompt.ts'

const fileOf = ({ configHome }: ClientScene) => join(configHome, 'platen/profiles.json')
const profilesOf = async (scene: ClientScene) => JSON.parse(await readFile(fileOf(scene), 'utf8'))
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

/** Runs `platen` with lines on standard input. */
async function answer(t: TestContext, { env }: ClientScene, args: readonly string[], ...lines: string[]) {
  const child = startPlaten(t, args, env, lines.map((line) => `${line}\n`).join(''))
  const code = await child.ended
  return { code, out: child.out(), err: child.err() }
}

test('platen login', async (t) => {
  const scene = await startClientScene(t)
  const { service, run, env } = scene
  const account = await service.signUp()
  const keysOf = async (token = account.accessToken) =>
    (await service.request('GET', '/api/api-keys', { token })).body.data

  await t.test('stores a new API key where only the user can read it, and ends the session', async (t) => {
    const folder = join(scene.configHome, 'platen')
    await mkdir(folder, { mode: 0o755 })
    await chmod(folder, 0o755)
    const sessions = async () =>
      (await service.request('GET', '/api/auth/sessions', { token: account.accessToken })).body.data.length
    const before = await sessions()
    const { code, out, err } = await answer(t, scene, ['login'], account.email, account.password)
    assert.deepEqual([code, err], [0, ''])
    const [key] = await keysOf()
    assert.deepEqual([key.name, key.permissions], [`platen on ${hostname()}`, ['read', 'write']])
    const days = (Date.parse(key.expiresAt) - Date.now()) / 86_400_000
    assert.ok(days > 89 && days <= 90, `${days}`)
    assert.ok(out.includes(fileOf(scene)) && out.includes('"default"') && out.includes(key.expiresAt.slice(0, 10)), out)
    assert.doesNotMatch(out, /platen_test_/)
    assert.deepEqual([await modeOf(folder), await modeOf(fileOf(scene))], ['700', '600'])
    const { default: stored } = await profilesOf(scene)
    assert.deepEqual(Object.keys(stored), ['url', 'apiKey', 'keyId'])
    assert.deepEqual([stored.url, stored.keyId], [service.origin, key.id])
    assert.equal(await sessions(), before)
    assert.equal((await run(['api', 'get', '/orders'])).code, 0)
  })

  await t.test('replaces the key of a profile, revokes the former one and keeps other profiles', async (t) => {
    const [former] = await keysOf()
    await answer(t, scene, ['login', '--profile', 'other', '--email', account.email], account.password)
    const other = (await profilesOf(scene)).other
    assert.equal((await answer(t, scene, ['login', '--email', account.email], account.password)).code, 0)
    const ids = (await keysOf()).map(({ id }: { id: string }) => id)
    const profiles = await profilesOf(scene)
    assert.deepEqual(ids, [profiles.default.keyId, other.keyId])
    assert.ok(!ids.includes(former.id))
    assert.deepEqual(profiles.other, other)
  })

  await t.test('names the former key of the profile if it belongs to another account or service', async (t) => {
    const [first, second] = [await service.signUp(), await service.signUp()]
    const keyOfProfile = async () => (await profilesOf(scene)).shared
    const login = (url: string, { email, password }: typeof first) => {
      return answer(t, scene, ['login', '--profile', 'shared', '--url', url, '--email', email], password)
    }
    await login(service.origin, first)
    const former = await keyOfProfile()
    const replaced = await login(service.origin, second)
    assert.deepEqual([replaced.code, (await keyOfProfile()).keyId === former.keyId], [0, false])
    const advice = `Run "platen logout --key ${former.keyId} --url ${service.origin}" with its account to revoke it.\n`
    const notice = `The former API key ${former.keyId} of ${service.origin} may stay valid: it belongs to another account.\n`
    assert.equal(replaced.err, notice + advice)

    // The same service under another origin. The command cannot know that it is the same.
    const { keyId } = await keyOfProfile()
    const moved = await login(service.origin.replace('127.0.0.1', 'localhost'), second)
    assert.equal(moved.code, 0)
    assert.match(
      moved.err,
      new RegExp(`^The former API key ${keyId} of ${service.origin} may stay valid: the profile is`),
    )

    const current = await keyOfProfile()
    await service.request('DELETE', `/api/api-keys/${current.keyId}`, { token: second.accessToken })
    const renewed = await login(current.url, first)
    assert.deepEqual([renewed.code, renewed.err], [0, ''], 'a key that no longer works is not named')
  })

  await t.test('sign-ins at once with the same profile leave one valid key', async (t) => {
    const { email, password, accessToken } = await service.signUp()
    const login = () => answer(t, scene, ['login', '--profile', 'busy', '--email', email], password)
    const ended = await Promise.all([login(), login(), login()])
    assert.deepEqual(
      ended.map(({ code, err }) => [code, err]),
      [0, 0, 0].map((code) => [code, '']),
    )
    const ids = (await keysOf(accessToken)).map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, [(await profilesOf(scene)).busy.keyId])
  })

  await t.test('asks for the code of a second factor, or a recovery code', async (t) => {
    const protectedAccount = await service.signUp()
    const { secret, recoveryCodes } = await enableTotp(service, protectedAccount)
    const { email, password, accessToken } = protectedAccount
    const withCode = await answer(
      t,
      scene,
      ['login', '--profile', 'a'],
      email,
      password,
      totpCode(secret, service.clock),
    )
    assert.deepEqual([withCode.code, withCode.err], [0, ''])
    const recovered = await answer(t, scene, ['login', '--profile', 'b'], email, password, String(recoveryCodes[0]))
    assert.deepEqual([recovered.code, recovered.err], [0, ''])
    assert.equal((await keysOf(accessToken)).length, 2)
    const wrong = await answer(t, scene, ['login', '--profile', 'c'], email, password, '000000')
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /invalid_code/)
    assert.equal((await profilesOf(scene)).c, undefined)
  })

  await t.test('staff get the permissions for customers, too', async (t) => {
    const { email, password, accessToken } = await service.signUp({ role: 'operator' })
    await answer(t, scene, ['login', '--profile', 'staff', '--email', email], password)
    const [key] = await keysOf(accessToken)
    assert.deepEqual(key.permissions, ['read', 'write', 'customers:read', 'customers:write'])
  })

  await t.test('a refused sign-in, and input that ends early, store nothing', async (t) => {
    const before = await readFile(fileOf(scene), 'utf8')
    const wrong = await answer(t, scene, ['login'], account.email, 'not the password')
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /^platen: .*\(invalid_credentials, status 401\)/)
    const ended = await answer(t, scene, ['login'], account.email)
    assert.deepEqual([ended.code, ended.err], [1, 'platen: Standard input ended before a line for "Password:".\n'])
    assert.equal(await readFile(fileOf(scene), 'utf8'), before)
  })

  await t.test('a key whose profile cannot be stored is revoked', async (t) => {
    const config = join(scene.configHome, 'broken')
    await mkdir(config)
    // The folder can be neither read nor made, which the command notices only when it stores the profile.
    await symlink(join(config, 'nowhere/platen'), join(config, 'platen'))
    const count = (await keysOf()).length
    const child = startPlaten(
      t,
      ['login'],
      { ...env, XDG_CONFIG_HOME: config },
      `${account.email}\n${account.password}\n`,
    )
    assert.equal(await child.ended, 1)
    assert.match(child.err(), /^platen: Could not write .*profiles\.json: /)
    assert.equal((await keysOf()).length, count)
  })

  await t.test('logout revokes the key and removes the profile only', async (t) => {
    const { default: stored, other } = await profilesOf(scene)
    const { code, out, err } = await answer(t, scene, ['logout'], account.email, account.password)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, new RegExp(`^The API key ${stored.keyId} of .* is revoked\\.$`, 'm'))
    const request = { token: stored.apiKey }
    assert.equal((await service.request('GET', '/orders', request)).status, 401)
    const profiles = await profilesOf(scene)
    assert.deepEqual([profiles.default, profiles.other], [undefined, other])
    const again = await answer(t, scene, ['logout'])
    assert.deepEqual(
      [again.code, again.err],
      [1, 'platen: The profile "default" does not exist, so nothing was done.\n'],
    )
  })

  await t.test('logout of another account does not claim that the key is revoked', async (t) => {
    const stranger = await service.signUp()
    const login = ['login', '--profile', 'mine', '--email', account.email]
    await answer(t, scene, login, account.password)
    const { mine } = await profilesOf(scene)
    const { code, out, err } = await answer(
      t,
      scene,
      ['logout', '--profile', 'mine'],
      stranger.email,
      stranger.password,
    )
    assert.deepEqual([code, out], [1, `Removed the profile "mine" from ${fileOf(scene)}.\n`])
    assert.ok(err.includes(`The account at ${service.origin} has no API key ${mine.keyId}.\n`), err)
    const command = /Run "platen (logout --key \S+ --url \S+)" with its account/.exec(err)?.[1]?.split(' ') ?? []
    const request = { token: mine.apiKey }
    assert.equal((await service.request('GET', '/orders', request)).status, 200)

    const wrong = await answer(t, scene, command, stranger.email, stranger.password)
    assert.deepEqual([wrong.code, wrong.out], [1, ''])
    const revoked = await answer(t, scene, command, account.email, account.password)
    assert.deepEqual([revoked.code, revoked.err], [0, ''])
    assert.equal((await service.request('GET', '/orders', request)).status, 401)
  })

  await t.test('logout of a key that was revoked elsewhere succeeds', async (t) => {
    await answer(t, scene, ['login', '--profile', 'mine', '--email', account.email], account.password)
    const { mine } = await profilesOf(scene)
    await service.request('DELETE', `/api/api-keys/${mine.keyId}`, { token: account.accessToken })
    const { code, err } = await answer(t, scene, ['logout', '--profile', 'mine'], account.email, account.password)
    assert.deepEqual([code, err], [0, ''])
  })

  await t.test('logout refuses options that contradict one another', async () => {
    for (const args of [
      ['--url', service.origin],
      ['--key', 'key_1', '--keep-key'],
    ]) {
      assert.equal((await run(['logout', ...args])).code, 2)
    }
    const open = await run(['logout', '--key', 'key_1', '--url', 'http://192.0.2.1'])
    assert.deepEqual([open.code, open.err.includes('is not encrypted')], [1, true])
  })

  await t.test('logout removes the profile even if it cannot revoke the key, and says so', async (t) => {
    const { other, a } = await profilesOf(scene)
    const failed = await answer(t, scene, ['logout', '--profile', 'other'], account.email, 'not the password')
    assert.equal(failed.code, 1)
    assert.match(failed.err, new RegExp(`The API key ${other.keyId} of .* was not revoked\\.`))
    const kept = await answer(t, scene, ['logout', '--profile', 'a', '--keep-key'])
    assert.equal(kept.code, 0)
    assert.ok(kept.out.includes(`The API key ${a.keyId} stays valid`), kept.out)
    const profiles = await profilesOf(scene)
    assert.deepEqual([profiles.other, profiles.a], [undefined, undefined])
  })
})

/** Opens a prompt on a terminal. */
function openTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  let shown = ''
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      shown += chunk
      done()
    },
  })
  return { input, prompt: openPrompt(input, output), shown: () => shown }
}

test('a password that is typed into a terminal is not shown', async () => {
  const { input, prompt, shown } = openTerminal()
  const email = prompt.ask('Email: ')
  input.write('ada@example.com\r')
  assert.equal(await email, 'ada@example.com')
  const password = prompt.askHidden('Password: ')
  for (const character of 'a quiet lake\r') input.write(character)
  assert.equal(await password, 'a quiet lake')
  prompt.close()
  assert.ok(shown().includes('ada@example.com') && shown().includes('Password: '), shown())
  assert.ok(!shown().includes('quiet') && !shown().includes('*'), shown())
})

test('arrow keys do not bring a password back into a later line', async () => {
  const { input, prompt, shown } = openTerminal()
  const password = prompt.askHidden('Password: ')
  input.write('a quiet lake\r')
  assert.equal(await password, 'a quiet lake')
  const code = prompt.ask('Code: ')
  for (const key of ['\u001b[A', '\u001b[A', '\u001b[B', '\u0010', '\r']) input.write(key)
  assert.equal(await code, '')
  prompt.close()
  assert.ok(!shown().includes('quiet'), shown())
})
