import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import { sql } from 'kysely'
import { bundleService, type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../fakes/database-proxy.ts'
import { createDatabase, startService, type TestService } from '../harness.ts'
import { until } from '../lib/until.ts'
import { mailedToken } from '../people.ts'

interface Nodes {
  here: TestService
  /** A second service process on the same database, which it reaches through the proxy. */
  there: ServiceProcess
  proxy: DatabaseProxy
}

async function startNodes(t: TestContext): Promise<Nodes> {
  const database = await createDatabase(t)
  const here = await startService(t, { database })
  const proxy = await startDatabaseProxy(t, database)
  const there = await startServiceProcess({
    PLATEN_DATABASE_URL: proxy.url,
    PLATEN_DATA_DIR: here.config.dataDir,
    PLATEN_PUBLIC_URL: here.config.origin,
    PLATEN_RATE_LIMITS: 'off',
  })
  t.after(() => there.child.kill('SIGKILL'))
  return { here, there, proxy }
}

/**
 * Sends a credential to the other process. For a valid one, the response is 404, because the design does not exist. The
 * id is malformed, so this needs no query.
 */
async function askThere({ there }: Nodes, token: string): Promise<number> {
  const answer = await fetch(`${there.origin}/v1/designs/none`, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  return answer.status
}

/** Counts how often the other process looked up a credential in the database. */
const lookUps = ({ proxy }: Nodes): number => proxy.timesSent('session_role') + proxy.timesSent('key_by_secret')

/** A credential, and a request that revokes it. */
interface Ending {
  name: string
  token: string
  end(): Promise<{ status: number }>
}

async function prepareEndings(here: TestService): Promise<Ending[]> {
  const admin = await here.signUp({ role: 'admin' })
  const [leaver, owner, changer, resetter, disabled, keeper, gone] = await Promise.all(
    Array.from({ length: 7 }, () => here.signUp()),
  )
  assert.ok(leaver && owner && changer && resetter && disabled && keeper && gone)
  const post = (path: string, token: string | undefined, body?: object) =>
    here.request('POST', path, { ...(token === undefined ? {} : { token }), ...(body === undefined ? {} : { body }) })
  const again = (await post('/api/auth/login', undefined, { email: owner.email, password: owner.password })).body
  const changed = (await post('/api/auth/login', undefined, { email: changer.email, password: changer.password })).body
  const { data: sessions } = (await here.request('GET', '/api/auth/sessions', { token: again.accessToken })).body
  const { id: sessionId } = sessions.find((session: { current: boolean }) => !session.current)
  const { key, id: keyId } = (
    await post('/api/api-keys', keeper.accessToken, { name: 'ci', permissions: ['designs:read'] })
  ).body
  await post('/api/auth/password/forgot', undefined, { email: resetter.email })
  const resetToken = await mailedToken(here.request, here.origin, resetter.email)
  const newPassword = 'another quiet harbour'
  return [
    { name: 'logout', token: leaver.accessToken, end: () => post('/api/auth/logout', leaver.accessToken) },
    {
      name: 'session revoked',
      token: owner.accessToken,
      end: () => here.request('DELETE', `/api/auth/sessions/${sessionId}`, { token: again.accessToken }),
    },
    {
      name: 'password changed',
      token: changed.accessToken,
      end: () =>
        post('/api/auth/password/change', changer.accessToken, { currentPassword: changer.password, newPassword }),
    },
    {
      name: 'password reset',
      token: resetter.accessToken,
      end: () => post('/api/auth/password/reset', undefined, { token: resetToken, newPassword }),
    },
    {
      name: 'user disabled',
      token: disabled.accessToken,
      end: () =>
        here.request('PATCH', `/users/${disabled.userId}`, { token: admin.accessToken, body: { disabled: true } }),
    },
    {
      name: 'account deleted',
      token: gone.accessToken,
      end: () => here.request('DELETE', '/me', { token: gone.accessToken }),
    },
    {
      name: 'key revoked',
      token: key,
      end: () => here.request('DELETE', `/api/api-keys/${keyId}`, { token: keeper.accessToken }),
    },
  ]
}

test('TK-6, AK-5: a revocation applies in the other process within a second, without a query per request', async (t) => {
  const nodes = await startNodes(t)
  const bystander = await nodes.here.signUp()
  const endings = await prepareEndings(nodes.here)
  for (const { name, token } of endings) assert.equal(await askThere(nodes, token), 404, name)
  assert.equal(await askThere(nodes, bystander.accessToken), 404)
  // A process that gets no processor time for a moment looks credentials up, because it may have missed a revocation.
  await until('100 requests without a query', async () => {
    const before = lookUps(nodes)
    for (let times = 0; times < 50; times += 1) {
      assert.equal(await askThere(nodes, bystander.accessToken), 404)
      for (const { token } of endings.slice(-1)) assert.equal(await askThere(nodes, token), 404)
    }
    return lookUps(nodes) === before
  })
  for (const { name, end } of endings) assert.ok([200, 204].includes((await end()).status), name)
  await delay(1000)
  for (const { name, token } of endings) assert.equal(await askThere(nodes, token), 401, name)
  await until('a request without a query', async () => {
    const after = lookUps(nodes)
    assert.equal(await askThere(nodes, bystander.accessToken), 404)
    return lookUps(nodes) === after
  })
})

test('TK-6, AK-5: a process without notifications checks every request in the database until they return', async (t) => {
  const nodes = await startNodes(t)
  const bystander = await nodes.here.signUp()
  const endings = await prepareEndings(nodes.here)
  for (const { name, token } of endings) assert.equal(await askThere(nodes, token), 404, name)
  nodes.proxy.cutListeners()
  await delay(1000)
  const before = lookUps(nodes)
  for (let times = 0; times < 10; times += 1) assert.equal(await askThere(nodes, bystander.accessToken), 404)
  assert.ok(lookUps(nodes) >= before + 10)
  for (const { name, end } of endings) assert.ok([200, 204].includes((await end()).status), name)
  for (const { name, token } of endings) assert.equal(await askThere(nodes, token), 401, name)
  nodes.proxy.letListen()
  await until('a request without a query', async () => {
    const asked = lookUps(nodes)
    await askThere(nodes, bystander.accessToken)
    return lookUps(nodes) === asked
  })
  // The process applies all revocations that it missed without notifications.
  for (const { name, token } of endings) assert.equal(await askThere(nodes, token), 401, name)
})

interface Ran {
  code: number
  output: string
}

/** Runs `platen keys rotate` as an operator does. */
function rotateKeys({ here, proxy }: Nodes, ...args: string[]): Promise<Ran> {
  const env = { PATH: process.env['PATH'], PLATEN_DATABASE_URL: proxy.url, PLATEN_DATA_DIR: here.config.dataDir }
  return new Promise((resolve) => {
    execFile(process.execPath, [bundleService(), 'keys', 'rotate', ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: `${stdout}${stderr}` })
    })
  })
}

/**
 * Calls both processes repeatedly, with old and new tokens. Returns a function that stops the calls and returns the
 * statuses.
 */
function load(addresses: string[], refreshTokens: string[]) {
  const answers = new Map<string, number>()
  const kids = new Set<string>()
  let isStopped = false
  const note = (what: string): void => void answers.set(what, (answers.get(what) ?? 0) + 1)
  const call = async (path: string, init: RequestInit): Promise<Record<string, string>> => {
    const answer = await fetch(path, init)
    note(`${answer.status}`)
    return answer.ok ? ((await answer.json()) as Record<string, string>) : {}
  }
  const user = async (first: string, offset: number): Promise<void> => {
    let refreshToken = first
    for (let turn = offset; !isStopped; turn += 1) {
      const at = (shift: number) => `${addresses[(turn + shift) % addresses.length]}/v1`
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ refreshToken })
      const tokens = await call(`${at(0)}/api/auth/refresh`, { method: 'POST', headers, body })
      refreshToken = tokens['refreshToken'] ?? refreshToken
      kids.add(decodeProtectedHeader(tokens['accessToken'] ?? '').kid ?? '')
      // One process signs the token, and the other one verifies it.
      for (const shift of [1, 0]) {
        await call(`${at(shift)}/me`, { headers: { authorization: `Bearer ${tokens['accessToken']}` } })
      }
    }
  }
  const users = refreshTokens.map(user)
  return {
    kids,
    count: () => [...answers.values()].reduce((sum, one) => sum + one, 0),
    stop: async () => {
      isStopped = true
      await Promise.all(users)
      return answers
    },
  }
}

test('TK-7: rotating keys under load on two processes makes no request fail', async (t) => {
  const nodes = await startNodes(t)
  const { here, there } = nodes
  const people = await Promise.all(Array.from({ length: 4 }, () => here.signUp()))
  const published = async (origin: string): Promise<string[]> => {
    const answer = await fetch(`${origin}/.well-known/jwks.json`)
    return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
  }
  const early = await rotateKeys(nodes)
  assert.equal(early.code, 1)
  assert.match(early.output, /Nothing was changed/)
  await sql`update signing_keys set created_at = created_at - interval '10 minutes'`.execute(here.db)
  const before = await published(there.origin)

  const running = load(
    [here.origin, there.origin],
    people.map(({ refreshToken }) => refreshToken),
  )
  await until('some load', () => running.count() > 40)
  const [oldKid, ...others] = running.kids
  assert.deepEqual(others, [])
  const rotated = await rotateKeys(nodes, '--purpose', 'access_token')
  assert.equal(rotated.code, 0, rotated.output)
  await until('tokens of the new key', () => running.kids.size === 2)
  const soFar = running.count()
  await until('more load', () => running.count() > soFar + 60)
  const answers = await running.stop()
  assert.deepEqual([...answers.keys()], ['200'])

  const newKid = [...running.kids].find((kid) => kid !== oldKid)
  assert.ok(newKid !== undefined && before.includes(newKid), 'published before it signed')
  for (const { accessToken } of people) {
    assert.equal(decodeProtectedHeader(accessToken).kid, oldKid)
    assert.equal(await askThere(nodes, accessToken), 404)
  }
  for (const origin of [here.origin, there.origin]) {
    const now = await published(origin)
    assert.ok(now.includes(String(oldKid)) && now.includes(newKid))
    assert.equal(now.length, before.length + 1)
  }

  const revoked = await rotateKeys(nodes, '--purpose', 'access_token', '--revoke')
  assert.equal(revoked.code, 0, revoked.output)
  await delay(1000)
  for (const { accessToken } of people) assert.equal(await askThere(nodes, accessToken), 401)
  for (const origin of [here.origin, there.origin]) assert.ok(!(await published(origin)).includes(newKid))
})
