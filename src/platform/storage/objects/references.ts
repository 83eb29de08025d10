import type { RawBuilder } from 'kysely'

/**
 * What one feature still needs of the storage. The collection deletes only what no feature needs, so every table that
 * names stored bytes must be covered by one of these; a test compares `columns` with the schema.
 *
 * The row that refers to stored bytes is written in a transaction that first calls `Storage.hold` with their hashes:
 * from then on, and until the transaction ends, they cannot be collected. When it commits, the row itself protects them.
 */
export interface StorageReferences {
  /** For logs and tests: the feature. */
  name: string
  /** Every column that holds hashes, or JSON with hashes in it, as `table.column`. */
  columns: readonly string[]
  /**
   * A query with one column `sha256` whose rows name, once or more often, those of the given hashes that are needed.
   * The queries of all features run as one statement and see one state of the database: a reference that moves from one
   * table to another at the same moment is seen in one of them. It runs for every stored object once an hour, a few
   * hundred at a time, and so needs an index by hash.
   *
   * @param sha256s hashes in hexadecimal
   */
  query(sha256s: readonly string[]): RawBuilder<{ sha256: string }>
}
