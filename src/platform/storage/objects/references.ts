import type { RawBuilder } from 'kysely'

/**
 * The references of one feature to stored bytes. Garbage collection deletes only bytes that no feature refers to, so
 * these definitions must cover every table with hashes of stored bytes. A test compares `columns` with the schema.
 *
 * A transaction that writes a row with a reference first calls `Storage.retain` with the hashes. From then on and until
 * the transaction ends, the bytes cannot be collected. After the commit, the row itself protects them.
 */
export interface StorageReferences {
  /** The name of the feature, for logs and tests. */
  name: string
  /** Every column with hashes, or with JSON that contains hashes, as `table.column`. */
  columns: readonly string[]
  /**
   * Returns a query with one column `sha256`, whose rows contain those of the given hashes that are needed. A hash may
   * occur several times. The queries of all features run as one statement and see one snapshot, so that a reference
   * that moves between tables is seen in one of them. The query runs for every stored object once an hour, a few
   * hundred at a time, so it needs an index by hash.
   *
   * @param sha256s hashes in hexadecimal
   */
  query(sha256s: readonly string[]): RawBuilder<{ sha256: string }>
}
