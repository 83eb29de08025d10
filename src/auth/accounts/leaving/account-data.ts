import type { Db, Trx } from '../../../platform/db/index.ts'

/** One kind of record that a feature keeps of people: how to show a person all of them, and how to be rid of them. */
export interface AccountData {
  /** Its name in the export. */
  name: string
  /**
   * Every record of a person, one at a time, as the API shows it, or the JSON text of that: no more than a few are held
   * at once.
   */
  list(db: Db, userId: string): AsyncIterable<object | string>
  /**
   * Erases what may go, in the transaction that deletes the account; called again later, until nothing is left to be erased.
   * Records that must be kept by law stay, without what identifies the person.
   *
   * @returns whether nothing remains that will have to be erased later
   */
  erase(trx: Trx, userId: string, at: Date): Promise<boolean>
}
