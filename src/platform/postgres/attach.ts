import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { findOutClaimed } from './claim.ts'
import { EmbeddedPostgresError, hasErrorCode } from './programs/errors.ts'
import { clusterFolder, findReach, type Reach, releaseSite } from './site.ts'
import { addressOf, type EmbeddedPoolConfig } from './supervisor.ts'

/** A connection to the PostgreSQL server of another process. It is usable as long as that process runs the server. */
export type AttachedPostgres = Readonly<{
  poolConfig: EmbeddedPoolConfig
  /** Releases the resources of the connection. The server continues to run. */
  detach: () => Promise<void>
}>

/** How long to wait for a server that is starting, or restarting after a crash. */
const PATIENCE_MS = 10_000

/**
 * Finds the PostgreSQL server that a service runs on a data folder. Returns undefined if no service runs one; the
 * caller can then start it with `startEmbeddedPostgres`.
 *
 * @throws EmbeddedPostgresError `not_accessible` if the user may not enter the folder
 */
export async function attachToEmbeddedPostgres(dataDir: string): Promise<AttachedPostgres | undefined> {
  let reach: Reach | undefined
  try {
    if (!(await hasEmbeddedPostgres(dataDir))) return undefined
    reach = await findReach(dataDir)
    const found = reach
    if (await isServed(found)) return { ...addressOf(found), detach: () => releaseSite(found) }
  } catch (error) {
    if (reach !== undefined) await releaseSite(reach)
    const reason = error instanceof Error ? error.message : String(error)
    throw new EmbeddedPostgresError(
      'not_accessible',
      `The database in the data folder ${dataDir} cannot be reached: ${reason}. Run this command as the user who runs the service.`,
      { cause: error },
    )
  }
  await releaseSite(reach)
  return undefined
}

/**
 * Tells whether a database was ever created in a data folder. If the user has no access to the folder, the result is
 * true, and connecting reports the error.
 */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  try {
    await stat(clusterFolder(dataDir))
    return true
  } catch (error) {
    return !hasErrorCode(error, 'ENOENT')
  }
}

/**
 * Tells whether a service runs the server. A server without a claim was left by a killed service, and the next start
 * stops it.
 */
async function isServed(reach: Reach): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const found = await findOutClaimed(reach)
    if (found !== 'not_ready' || Date.now() > deadline) return found === 'claimed'
    await delay(50)
  }
}
