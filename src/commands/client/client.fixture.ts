import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { TestContext } from 'node:test'
import { bundleService } from '../../../scripts/lib/service-process.ts'
import { type StartOptions, startService, type TestService, temporaryDir } from '../../../test/harness.ts'
import type { Role } from '../../platform/http/core/principal.ts'
import { seedSampleCatalogue } from '../../products/index.ts'
import { type Ended, platenHere } from '../platen.fixture.ts'

type Variables = Record<string, string>

export interface ClientScene {
  service: TestService
  /** The folder that contains the profiles. */
  configHome: string
  /** Environment variables without a key. */
  env: Variables
  /** Creates an account with an API key. */
  newKey(options?: { role?: Role; permissions?: readonly string[] }): Promise<NewKey>
  /** Runs `platen` in this process, with these environment variables in addition. */
  run(args: readonly string[], env?: Variables, options?: { isTTY?: boolean }): Promise<Ended & { bytes: Buffer }>
}

export interface NewKey {
  id: string
  key: string
  token: string
  userId: string
  email: string
  password: string
  /** The environment variables of a command that uses the key. */
  env: Variables
}

/** Starts a service with products, and prepares the environment of the commands that call it. */
export async function startClientScene(t: TestContext, options: StartOptions = {}): Promise<ClientScene> {
  const service = await startService(t, options)
  await seedSampleCatalogue(service.db, service.clock.now())
  const configHome = await temporaryDir(t)
  const env = { PLATEN_URL: service.origin, XDG_CONFIG_HOME: configHome }
  return {
    service,
    configHome,
    env,
    newKey: async ({ role = 'customer', permissions = ['read', 'write'] } = {}) => {
      const { accessToken: token, ...account } = await service.signUp({ role })
      const created = await service.request('POST', '/api/api-keys', { token, body: { name: 'cli', permissions } })
      assert.equal(created.status, 201, created.text)
      const { id, key } = created.body
      return { id, key, token, ...account, env: { ...env, PLATEN_API_KEY: key } }
    },
    run: (args, more = {}, { isTTY = false } = {}) =>
      withEnvironment({ ...env, ...more }, () => platenHere(args, { isTTY })),
  }
}

/** Runs a function while the process has these environment variables. */
export async function withEnvironment<Result>(env: Variables, run: () => Promise<Result>): Promise<Result> {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  try {
    return await run()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

export interface Running {
  out(): string
  err(): string
  /** Waits until standard output or standard error matches. */
  until(pattern: RegExp): Promise<void>
  kill(signal: NodeJS.Signals): void
  ended: Promise<number | null>
}

/** Starts `platen` in a separate process. @param input what it reads from standard input */
export function startPlaten(t: TestContext, args: readonly string[], env: Variables, input?: string): Running {
  const child = spawn(process.execPath, [bundleService(), ...args], { env: { PATH: process.env['PATH'], ...env } })
  t.after(() => child.kill('SIGKILL'))
  const written = { out: '', err: '' }
  const watchers = new Set<() => void>()
  const record = (name: 'out' | 'err') => (chunk: Buffer) => {
    written[name] += chunk.toString()
    for (const look of watchers) look()
  }
  child.stdout.on('data', record('out'))
  child.stderr.on('data', record('err'))
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    out: () => written.out,
    err: () => written.err,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`waited 30 s for ${pattern}, but got: ${written.out}${written.err}`))
        const timer = setTimeout(fail, 30_000)
        const look = (): void => {
          if (!pattern.test(written.out) && !pattern.test(written.err)) return
          clearTimeout(timer)
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    kill: (signal) => void child.kill(signal),
    ended,
  }
}
