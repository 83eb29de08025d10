import type { RawBuilder } from 'kysely'

/**
 * What one feature stores for an account. The reconciliation compares the sum over all features with the recorded usage.
 * A feature that adds bytes calls `StorageQuota.charge` or `recordUpload` in the transaction of the record, after it.
 */
export interface StorageCharges {
  /** The feature, for logs and tests. */
  name: string
  /** A query with one row and one column `bytes`: what the account stores. */
  query(ownerId: string): RawBuilder<{ bytes: number }>
}
