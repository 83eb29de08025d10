import type { RawBuilder } from 'kysely'

/**
 * The bytes that one feature stores for an account. Reconciliation compares the sum over all features with the recorded
 * usage. A feature that adds bytes calls `StorageQuota.charge` or `recordUpload` in the transaction that adds the
 * record, after the record was written.
 */
export interface StorageCharges {
  /** The name of the feature, for logs and tests. */
  name: string
  /** Returns a query with one row and one column `bytes`, the bytes that the account stores. */
  query(ownerId: string): RawBuilder<{ bytes: number }>
}
