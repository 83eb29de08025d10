import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { findOutClaimed } from './claim.ts'
import { EmbeddedPostgresError, hasErrorCode } from './programs/errors.ts'
import { clusterFolder, findReach, type Reach, releaseSite } from './site.ts'
import { addressOf, type EmbeddedPoolConfig } from './supervisor.ts'

/** Another process's PostgreSQL, for as long as that process runs it. */
export type AttachedPostgres = Readonly<{
  poolConfig: EmbeddedPoolConfig
  /** Gives up what was needed to reach it. The server runs on. */
  detach: () => Promise<void>
}>

/** How long a server that is starting, or restarting after a crash, is waited for. */
const PATIENCE_MS = 10_000

/**
 * Reaches the PostgreSQL that a service runs on a data folder. Undefined when no service does: then whoever wants the
 * database starts it with `startEmbeddedPostgres`.
 *
 * @throws EmbeddedPostgresError `not_accessible` for a user who may not enter the folder
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
      `The database in the data folder ${dataDir} cannot be reached: ${reason}. Run this as the user who runs the service.`,
      { cause: error },
    )
  }
  await releaseSite(reach)
  return undefined
}

/** Whether a database was ever begun in a data folder. Whoever may not look is told so when they try to reach it. */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  try {
    await stat(clusterFolder(dataDir))
    return true
  } catch (error) {
    return !hasErrorCode(error, 'ENOENT')
  }
}

/** A server that nobody holds was left behind by a killed service; who starts next stops it. */
async function isServed(reach: Reach): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const found = await findOutClaimed(reach)
    if (found !== 'not_ready' || Date.now() > deadline) return found === 'claimed'
    await delay(50)
  }
}
