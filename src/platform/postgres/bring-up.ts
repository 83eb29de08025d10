import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../telemetry/log.ts'
import { type Claim, claimWhenReady, tryToClaim } from './claim.ts'
import { makeReserve, releaseReserve } from './disk-reserve.ts'
import { findServer, isOurServer, type Postmaster, startPostmaster, stopServer, waitUntilReady } from './postmaster.ts'
import { EmbeddedPostgresError } from './programs/errors.ts'
import { findBackends, signal } from './programs/processes.ts'
import type { Site } from './site.ts'

export type SupervisorLog = Pick<Log, 'info' | 'warn' | 'error'>

export type Running = Readonly<{ postmaster: Postmaster; claim: Claim }>

const GIVE_UP_AFTER_MS = 60_000
const OUR_SERVER_PATIENCE_MS = 30_000
const OTHER_SERVER_PATIENCE_MS = 2_000

/**
 * Starts PostgreSQL on a data folder and claims the folder, whatever state an earlier run left it in.
 *
 * @throws EmbeddedPostgresError `in_use`, `start_failed`
 */
export async function bringUp(site: Site, log: SupervisorLog): Promise<Running> {
  const deadline = Date.now() + GIVE_UP_AFTER_MS
  for (;;) {
    await endPredecessor(site, log)
    // The server of another service still uses the reserve, so this comes after the claim.
    if (await releaseReserve(site.dataDir))
      log.warn({}, 'the disk is full; its reserve was deleted so that PostgreSQL starts')
    const attempt = await startAndClaim(site)
    if (!('obstacle' in attempt)) {
      await keepReserve(site, log)
      return attempt
    }
    if (Date.now() > deadline) throw startFailed(site, attempt.obstacle)
    // A random pause, so that two services that start at the same time do not block each other repeatedly.
    await delay(50 + Math.random() * 200)
  }
}

async function keepReserve({ dataDir, unsafeForTests }: Site, log: SupervisorLog): Promise<void> {
  if (unsafeForTests) return
  await makeReserve(dataDir).catch((error: unknown) =>
    log.warn({ err: error }, 'the reserve of disk space was not made'),
  )
}

/**
 * Stops a server that a killed service left. The server is not reused, because a new one is certain to have the
 * installed version, the right settings, and this process as its parent.
 */
async function endPredecessor(site: Site, log: SupervisorLog): Promise<void> {
  const found = await findServer(site.cluster)
  const isOurs = found !== undefined && (await isOurServer(site, found))
  const deadline = Date.now() + (isOurs ? OUR_SERVER_PATIENCE_MS : OTHER_SERVER_PATIENCE_MS)
  const result = await claimWhenReady(
    site,
    async () => (await findServer(site.cluster)) !== undefined && Date.now() < deadline,
  )
  if (result.kind === 'held_by_another') throw inUse(site, result.holder)
  const pid = await findServer(site.cluster)
  if (pid === undefined) return
  if (result.kind !== 'claimed' && !(await isOurServer(site, pid))) {
    throw startFailed(
      site,
      `A PostgreSQL server that Platen did not start uses the folder: process ${pid}. Stop it first.`,
    )
  }
  log.info({ pid }, 'stopping the PostgreSQL server that an earlier run left')
  await stopServer(pid)
}

/**
 * Matches messages of a server that ended for a reason after which a retry helps. A service that starts at the same
 * time stops a server without a claim. The next attempt then finds the claim of that service.
 */
const OBSTACLES = /lock file ".*" (already exists|is empty)|shared memory block|received \w+ shutdown request/

async function startAndClaim(site: Site): Promise<Running | { obstacle: string }> {
  const postmaster = await startPostmaster(site)
  try {
    if (await waitUntilReady(site, postmaster)) {
      const result = await claimWhenReady(site, () => !postmaster.hasEnded())
      if (result.kind === 'held_by_another') throw inUse(site, result.holder)
      if (result.kind === 'claimed') {
        await result.claim.ensureDatabase()
        return { postmaster, claim: result.claim }
      }
    }
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error
    await stopServer(postmaster.pid)
    throw startFailed(site, error instanceof Error ? error.message : String(error))
  }
  const messages = await postmaster.messages()
  if (!OBSTACLES.test(messages)) {
    throw startFailed(site, `${await postmaster.ended}\n${messages}`)
  }
  // Processes of a killed server can survive it until their statement ends.
  if ((await findServer(site.cluster)) === undefined) await endBackends(site)
  return { obstacle: messages }
}

async function endBackends({ clusterName }: Site): Promise<void> {
  for (const pid of await findBackends(clusterName)) signal(pid, 'SIGQUIT')
}

/**
 * Claims the folder again after the connection with the claim was lost, as when PostgreSQL restarts after a crash of
 * one of its processes. Returns undefined if the server has ended.
 *
 * @throws EmbeddedPostgresError `in_use`
 */
export async function claimAgain(site: Site, postmaster: Postmaster): Promise<Claim | undefined> {
  // The server may not have noticed yet that the lost connection of this process is closed.
  const deadline = Date.now() + 10_000
  while (!postmaster.hasEnded()) {
    const result = await tryToClaim(site)
    if (result.kind === 'claimed') return result.claim
    if (result.kind === 'held_by_another' && Date.now() > deadline) throw inUse(site, result.holder)
    await delay(50)
  }
  return undefined
}

function inUse(site: Site, holder: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'in_use',
    `Platen is already running on the data folder ${site.dataDir} (${holder}). Stop it first, or set PLATEN_DATA_DIR ` +
      'to give this service a folder of its own.',
  )
}

function startFailed(site: Site, reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL did not start on the data folder ${site.dataDir}. Its log is ${site.serverLog.path}.\n${reason.trim()}`,
  )
}
