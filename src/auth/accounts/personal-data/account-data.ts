import type { Db, Trx } from '../../../platform/db/index.ts'

/** One kind of personal data that a feature stores: how to export it, and how to erase it. */
export interface AccountData {
  /** Member of the export. */
  name: string
  /**
   * Yields every record of a user as the API shows it, or as the JSON text of that. It keeps only a few records in
   * memory.
   */
  list(db: Db, userId: string): AsyncIterable<object | string>
  /**
   * Erases what may be erased now. It runs after the account was closed, and again later until nothing is left. Records
   * that the law requires stay, without what identifies the user.
   *
   * @param after where the batch before ended
   * @returns whether nothing remains to be erased later; for many records after each batch of some hundred, with the
   *   place from which to continue in another transaction
   */
  erase(trx: Trx, userId: string, at: Date, after?: string): Promise<boolean | ErasedBatch>
  /**
   * Moves all records to another user, in the transaction that closes the first one. Left out if users without an account
   * have no such records.
   *
   * @returns how many records were moved
   */
  move?(trx: Trx, from: string, to: string): Promise<number>
}

export interface ErasedBatch {
  isComplete: boolean
  next: string
}

/** The result of `erase` for a batch of records in the order of their ids. A batch below the limit is the last one. */
export function erasedBatch(
  ids: readonly string[],
  { limit, isComplete = true }: { limit: number; isComplete?: boolean },
): boolean | ErasedBatch {
  const next = ids[limit - 1]
  return next === undefined ? isComplete : { isComplete, next }
}
