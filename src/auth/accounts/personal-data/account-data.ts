import type { Db, Trx } from '../../../platform/db/index.ts'

/** One kind of personal data that a feature stores: how to export it, and how to erase it. */
export interface AccountData {
  /** Name of the member of the export that lists the records. */
  name: string
  /**
   * Yields every record of a user, either as the object that the API returns or as its JSON text. It keeps only a few
   * records in memory.
   */
  list(db: Db, userId: string): AsyncIterable<object | string>
  /**
   * Erases what may be erased now. It runs once after the account was closed, and again later until nothing is left to
   * erase. Records that the law requires are retained, without the data that identifies the user.
   *
   * @param after `next` of the batch before; empty for the first batch
   * @returns whether everything is erased; if there are many records, a batch of some hundred is erased and the result
   * says where the next transaction continues
   */
  erase(trx: Trx, userId: string, at: Date, after?: string): Promise<boolean | ErasedBatch>
  /**
   * Whether `erase` rewrites events. All readers of events wait for such batches, so those of all accounts run one after
   * another.
   */
  rewritesEvents?: true
  /**
   * Moves the records to another user, in the transaction that closes the first one. Left out if users without an account
   * have no such records. Readers of events wait for the transaction, so it leaves records that may be many to
   * `moveMore`.
   *
   * @returns how many records were moved
   */
  move?(trx: Trx, from: string, to: string): Promise<number>
  /** Counts the records that `move` left to `moveMore`. Left out if no response states the number. */
  countLeft?(trx: Trx, userId: string): Promise<number>
  /**
   * Moves up to `MOVED_AT_ONCE` of the records that `move` left. It runs, in a transaction each, until none is left. The
   * response waits for it.
   *
   * @returns how many records were moved
   */
  moveMore?(trx: Trx, from: string, to: string): Promise<number>
  /**
   * Moves some hundred records to another user, after the first one was closed: records that may be many, and that no
   * request needs at once. It runs until all are moved.
   *
   * @returns whether all are moved
   */
  moveLater?(trx: Trx, from: string, to: string): Promise<boolean>
}

export interface ErasedBatch {
  isComplete: boolean
  next: string
}

/**
 * Returns the result of `erase` for a batch of records in the order of their ids. A batch with fewer records than the
 * limit is the last one.
 */
export function erasedBatch(
  ids: readonly string[],
  { limit, isComplete = true }: { limit: number; isComplete?: boolean },
): boolean | ErasedBatch {
  const next = ids[limit - 1]
  return next === undefined ? isComplete : { isComplete, next }
}
