import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { after, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type SupervisorLog,
  startEmbeddedPostgres,
} from '../index.ts'
import { findServer, stopServer } from '../postmaster.ts'

const run = promisify(execFile)

export type ServiceEvent = Readonly<{ event: string; message?: string; pid?: number; isNew?: boolean; uid?: number }>

export type ServiceProcess = Readonly<{
  child: ChildProcess
  /** Waits for the first event of one of these kinds. Rejects if the process ends before that. */
  waitFor: (...kinds: readonly string[]) => Promise<ServiceEvent>
  /** Kills the process, as the system would when memory runs out, and waits for its end. */
  kill: () => Promise<void>
}>

const PROGRAM = fileURLToPath(new URL('service.fixture.ts', import.meta.url))

/** Starts a service that runs PostgreSQL on a data folder, in a separate process. */
export function startService(
  t: TestContext,
  dataDir: string,
  options: SpawnOptions & { packageFolder?: string } = {},
): ServiceProcess {
  const { packageFolder, ...spawnOptions } = options
  const child = spawn(process.execPath, [PROGRAM, dataDir, ...(packageFolder === undefined ? [] : [packageFolder])], {
    ...spawnOptions,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const events: ServiceEvent[] = []
  const lines = child.stdout === null ? undefined : createInterface(child.stdout)
  lines?.on('line', (line) => events.push(JSON.parse(line)))
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onEnd(t, kill)
  return {
    child,
    kill,
    async waitFor(...kinds) {
      let hasEnded = false
      lines?.once('close', () => {
        hasEnded = true
      })
      for (;;) {
        const found = events.find(({ event }) => kinds.includes(event))
        if (found !== undefined) return found
        if (hasEnded) throw new Error(`the service ended without ${kinds}: ${JSON.stringify(events)}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}

const cleanups = new WeakMap<TestContext, (() => unknown)[]>()

/**
 * Registers a clean-up for the end of the test. Clean-ups run in reverse order: first the server stops, then its folder
 * is removed.
 */
export function onEnd(t: TestContext, cleanup: () => unknown): void {
  const known = cleanups.get(t)
  if (known !== undefined) {
    known.push(cleanup)
    return
  }
  const list = [cleanup]
  cleanups.set(t, list)
  t.after(async () => {
    for (const one of list.reverse()) await one()
  })
}

const SILENT: SupervisorLog = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Starts PostgreSQL on a folder for the duration of the test. */
export async function startServer(
  t: TestContext,
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: SILENT, unsafeForTests: true, ...options })
  onEnd(t, server.stop)
  return server
}

/** Creates a data folder that is removed after the test. A server that still runs on the folder is stopped. */
export async function emptyDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-data-'))
  await chmod(dataDir, 0o711)
  onEnd(t, async () => {
    const pid = await findServer(join(dataDir, 'postgres'))
    if (pid !== undefined) await stopServer(pid)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  })
  return dataDir
}

let model: Promise<string> | undefined

after(async () => {
  if (model !== undefined) await rm(await model, { recursive: true, force: true })
})

/**
 * Creates a data folder with a database by copying a model, which is created once. This is much faster than a first
 * start.
 */
export async function dataDirWithDatabase(t: TestContext): Promise<string> {
  model ??= makeModel()
  const dataDir = await emptyDataDir(t)
  await run('cp', ['-a', join(await model, 'postgres'), dataDir])
  return dataDir
}

async function makeModel(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-model-'))
  await chmod(dataDir, 0o711)
  const server = await startEmbeddedPostgres({ dataDir, log: SILENT, unsafeForTests: true })
  await server.stop()
  return dataDir
}

export async function query(dataDir: string, statement: string, user = 'platen'): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host: join(dataDir, 'postgres'), user, database: 'platen', ssl: false })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

/** Lists the drafts of clusters in a data folder. */
export async function drafts(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => name.startsWith('postgres.new-'))
}
