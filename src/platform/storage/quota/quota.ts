import { randomUUID } from 'node:crypto'
import { runUndo } from '../../concurrency/request-context.ts'
import type { Db, Trx } from '../../db/index.ts'
import type { Problem } from '../../problem.ts'
import type { Log } from '../../telemetry/log.ts'
import { storageProblems } from '../objects/problems.ts'
import { createStorageAccounts, type StorageAccounts } from './accounts.ts'
import type { StorageCharges } from './charges.ts'
import type { StorageUse } from './storage-use.ts'
import {
  chargeUnrecorded,
  deleteReservation,
  findUsage,
  putReservation,
  reconcileUsage,
  recordUsage,
  renewReservations,
  sumReservations,
  type Usage,
} from './store.ts'
import { createUnpaidBound, type UnpaidBound } from './unpaid.ts'
import { createVisitorRooms, type VisitorRooms, visitorsExceeded } from './visitors.ts'

/** Interval of renewals. A reservation survives three failed renewals. */
const RENEW_MS = 30_000

/** Number of further bytes that an upload of unknown length reserves whenever it has used its reservation. */
const STEP_BYTES = 4 * 1024 * 1024

/**
 * Limits what an account may store. Room is taken before bytes are stored: by a reservation for uploads, and by
 * `charge` in the writing transaction for records in the database.
 */
export interface StorageQuota {
  /**
   * Reserves room for an upload. The reservation counts until it is settled or released, and expires if the process
   * dies.
   *
   * @param bytes reserves `wanted` if there is room, and at least `least`
   * @throws `storage_quota_exceeded`
   */
  reserve(ownerId: string, bytes: { least: number; wanted: number }): Promise<Reservation>
  /**
   * Records that an account stores more or less in the database. Call this function after the record was written and
   * after all other locks of the transaction. Storing less is always allowed.
   *
   * @throws `storage_quota_exceeded`
   */
  charge(trx: Trx, ownerId: string, bytes: number): Promise<void>
  /**
   * Requires that an account has room for everything that another one stores, before it is moved. Takes no lock, because
   * the move takes others first. So `requireWithin` checks the result.
   *
   * @throws `storage_quota_exceeded`
   */
  requireRoomFor(trx: Trx, ownerId: string, from: string, now: Date): Promise<void>
  /**
   * Requires that an account is within its quota, and within its limit of what it stores without paying, after records
   * of another account were moved to it. If it belongs to a new customer, its network must be within its limits too.
   *
   * @throws `storage_quota_exceeded`
   */
  requireWithin(trx: Trx, ownerId: string, now: Date): Promise<void>
  /** Limits what an account may store without paying. `read` does not include these bytes. */
  unpaid: UnpaidBound
  read(ownerId: string): Promise<StorageUse>
  accounts: StorageAccounts
  /** Postpones the expiry of the reservations of this process. A timer calls this function; tests can call it too. */
  renew(): Promise<void>
  close(): void
}

export interface Reservation {
  /**
   * Ensures that the reservation covers this many bytes in total.
   *
   * @throws `storage_quota_exceeded`
   */
  cover(bytes: number): Promise<void>
  /**
   * Ends the reservation in the transaction that recorded the stored bytes, after the record.
   *
   * @param bytes what was recorded for the account; 0 if the account already had the same file
   * @throws `storage_quota_exceeded` if the reservation has expired and no room is left
   */
  settle(trx: Trx, bytes: number): Promise<void>
  /**
   * Ends the reservation for a file that was stored but not recorded. The file counts until it has been collected. Never
   * rejects.
   */
  settleUnrecorded(file: { sha256: string; bytes: number }): Promise<void>
  /** Releases a reservation that was not settled. Never rejects: if the reservation cannot be deleted, it expires. */
  release(): Promise<void>
}

export interface QuotaDeps {
  db: Db
  log: Log
  /**
   * Storage quota of an account, and separately the limit of what it may store without paying. Undefined: no limits.
   */
  quotaBytes: number | undefined
  /** The charges of every feature that stores data for accounts. */
  charges: readonly StorageCharges[]
}

/** Creates the quota of a service. Close it with the service, because a timer renews reservations. */
export function createStorageQuota(deps: QuotaDeps): StorageQuota {
  const { db, log, quotaBytes } = deps
  const live = new Set<string>()
  const visitors = createVisitorRooms(quotaBytes)
  const renew = async (): Promise<void> => {
    if (live.size > 0) await renewReservations(db, [...live])
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) => log.warn({ err: error }, 'storage reservations could not be renewed'))
  }, RENEW_MS).unref()

  const charge: StorageQuota['charge'] = async (trx, ownerId, bytes) => {
    const usage = await recordUsage(trx, ownerId, bytes)
    if (bytes <= 0) return
    await requireRoom(trx, deps, { ownerId, usage, added: bytes })
    await visitors.require(trx, ownerId, bytes)
  }

  const unpaid = createUnpaidBound(quotaBytes, visitors)
  const requireWithin: StorageQuota['requireWithin'] = async (trx, ownerId, now) => {
    await requireRoom(trx, deps, { ownerId, usage: await recordUsage(trx, ownerId, 0), added: 0 })
    await unpaid.requireWithin(trx, [ownerId], now)
    const room = await visitors.lock(trx, ownerId)
    if (room !== undefined && room.left < 0) throw visitorsExceeded(room)
  }
  const requireRoomFor: StorageQuota['requireRoomFor'] = async (trx, ownerId, from, now) => {
    const [usage, moved] = [await findUsage(trx, ownerId), await findUsage(trx, from)]
    const limit = quotaOf(usage ?? { quotaBytes: null }, deps)
    const used = (usage?.bytes ?? 0) + (await sumReservations(trx, ownerId))
    const added = (moved?.bytes ?? 0) + (await sumReservations(trx, from))
    if (used + added > limit) throw quotaExceeded(used, limit)
    await unpaid.requireWithin(trx, [ownerId, from], now)
    const refusal = await visitors.findRefusal(trx, ownerId, added)
    if (refusal !== undefined) throw refusal
  }

  const reserve: StorageQuota['reserve'] = async (ownerId, first) => {
    const id = randomUUID()
    live.add(id)
    const grant = ({ least, wanted }: { least: number; wanted: number }): Promise<number> =>
      db.transaction().execute((trx) => takeRoom(trx, { ...deps, visitors }, { id, ownerId, least, wanted }))
    const release = async (): Promise<void> => {
      if (!live.delete(id)) return
      await runUndo(() => deleteReservation(db, id)).catch((error: unknown) =>
        log.warn({ err: error }, 'a storage reservation could not be released'),
      )
    }
    let covered = await grant(first).catch(async (error: unknown) => {
      await release()
      throw error
    })
    return {
      cover: async (bytes) => {
        if (bytes > covered) covered = await grant({ least: bytes, wanted: Math.max(bytes, covered + STEP_BYTES) })
      },
      settle: async (trx, bytes) => {
        // Locks the usage before the reservation, because each transaction must take these two locks in the same order.
        const usage = await recordUsage(trx, ownerId, 0)
        const left = await deleteReservation(trx, id)
        if (bytes <= left) return
        await requireRoom(trx, deps, { ownerId, usage, added: bytes })
        await visitors.require(trx, ownerId, bytes)
      },
      settleUnrecorded: async (file) => {
        try {
          await runUndo(() => db.transaction().execute((trx) => chargeUnrecorded(trx, { ownerId, ...file })))
        } catch (error) {
          log.warn({ err: error, ownerId }, 'an account could not be charged for a file without a record')
        }
        await release()
      },
      release,
    }
  }

  const read = (ownerId: string): Promise<StorageUse> => readUse(deps, ownerId)
  return {
    reserve,
    charge,
    requireRoomFor,
    requireWithin,
    unpaid,
    read,
    accounts: createStorageAccounts({ db, quotaBytes, read }),
    renew,
    close: () => clearInterval(timer),
  }
}

interface Wanted {
  id: string
  ownerId: string
  least: number
  wanted: number
}

async function takeRoom(
  trx: Trx,
  deps: QuotaDeps & { visitors: VisitorRooms },
  { id, ownerId, least, wanted }: Wanted,
): Promise<number> {
  // Uses a separate statement. A statement that waits for the row lock would show other tables as they were before the
  // wait.
  const usage = await recordUsage(trx, ownerId, 0)
  const quotaBytes = quotaOf(usage, deps)
  const used = (await reconciled(trx, deps, ownerId, usage)) + (await sumReservations(trx, ownerId, id))
  if (used + least > quotaBytes) throw quotaExceeded(used, quotaBytes)
  const room = await deps.visitors.lock(trx, ownerId, id)
  if (room !== undefined && least > room.left) throw visitorsExceeded(room)
  const bytes = Math.min(wanted, quotaBytes - used, room?.left ?? Number.POSITIVE_INFINITY)
  await putReservation(trx, { id, ownerId, bytes })
  return bytes
}

interface Grown {
  ownerId: string
  /** The usage, including what the transaction added. */
  usage: Usage
  added: number
}

async function requireRoom(trx: Trx, deps: QuotaDeps, { ownerId, usage, added }: Grown): Promise<void> {
  const quotaBytes = quotaOf(usage, deps)
  if (quotaBytes === Number.POSITIVE_INFINITY) return
  const used = (await reconciled(trx, deps, ownerId, usage)) + (await sumReservations(trx, ownerId))
  if (used > quotaBytes) throw quotaExceeded(used - added, quotaBytes)
}

function quotaOf({ quotaBytes }: Pick<Usage, 'quotaBytes'>, deps: QuotaDeps): number {
  return quotaBytes ?? deps.quotaBytes ?? Number.POSITIVE_INFINITY
}

/**
 * Returns what an account stores. If the recorded usage was never compared with the records, does this first. The
 * transaction must hold the lock of the usage row.
 */
async function reconciled(trx: Trx, { charges }: QuotaDeps, ownerId: string, usage: Usage): Promise<number> {
  if (usage.isReconciled) return usage.bytes
  return usage.bytes + ((await reconcileUsage(trx, charges, ownerId)) ?? 0)
}

async function readUse(deps: QuotaDeps, ownerId: string): Promise<StorageUse> {
  const { db } = deps
  const usage = await findUsage(db, ownerId)
  const bytes =
    usage?.isReconciled === true
      ? usage.bytes
      : await db
          .transaction()
          .execute(async (trx) => reconciled(trx, deps, ownerId, await recordUsage(trx, ownerId, 0)))
  const used = Math.max(0, bytes + (await sumReservations(db, ownerId)))
  return { used, quota: usage?.quotaBytes ?? deps.quotaBytes ?? null }
}

function quotaExceeded(used: number, quota: number): Problem {
  return storageProblems.storage_quota_exceeded({ members: { used: Math.max(0, used), quota } })
}
