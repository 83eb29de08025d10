import pTimeout, { TimeoutError } from 'p-timeout'
import type { DatabaseProbe } from '../../db/probe.ts'
import { type Storage, storageUnavailable } from '../../storage/index.ts'
import { databaseUnavailable } from '../responses/errors.ts'

/** How long the database and the storage may each take to respond to a probe. */
const READY_TIMEOUT_MS = 2_000

/** The checks of what the service needs. Each takes at most about two seconds. */
export interface Readiness {
  /** @throws `service_unavailable` */
  checkDatabase(): Promise<void>
  /** @throws `storage_unavailable` */
  checkStorage(): Promise<void>
  /**
   * Whether enough disk space is free. Too little space does not make a node unready: it can still handle most requests,
   * and other nodes may share the disk.
   */
  hasFreeDisk(): Promise<boolean>
  /** Returns which further parts work, by name. */
  checkParts(): Promise<Record<string, boolean>>
}

export interface ReadinessDeps {
  database: Pick<DatabaseProbe, 'check'>
  storage: Pick<Storage, 'check' | 'requireFree'>
  /** Further checks by name. Each check takes at most about a second and never rejects. */
  parts?: Readonly<Record<string, () => Promise<boolean>>>
}

export function createReadiness({ database, storage, parts = {} }: ReadinessDeps): Readiness {
  return {
    checkDatabase: async () => {
      await inTime(database.check()).catch(() => {
        throw databaseUnavailable()
      })
    },
    checkStorage: async () => {
      await inTime(storage.check()).catch((error: unknown) => {
        throw error instanceof TimeoutError ? storageUnavailable(error) : error
      })
    },
    hasFreeDisk: () => isDone(inTime(storage.requireFree())),
    checkParts: async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(parts).map(async ([part, isWorking]) => [part, await isWorking()] as const)),
      ),
  }
}

/** Tells whether a check succeeds. */
export const isDone = (check: Promise<unknown>): Promise<boolean> =>
  check.then(
    () => true,
    () => false,
  )

/**
 * Limits the time of a probe.
 *
 * @throws {TimeoutError} if there is no response within `READY_TIMEOUT_MS`
 */
export function inTime(answer: Promise<unknown>): Promise<unknown> {
  return pTimeout(answer, { milliseconds: READY_TIMEOUT_MS, message: `no response within ${READY_TIMEOUT_MS} ms` })
}
