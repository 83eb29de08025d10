import type { Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Audit } from '../audit/audit.ts'
import type { Client } from '../caller.ts'
import { clearBuckets } from './store.ts'
import { kindOf } from './throttle.ts'
/**
 * Clears the failures and blocks of a user who has verified that the account is theirs, and records the end of each
 * block.
 */
export async function liftBlocks(
  trx: Trx,
  { audit, clock }: { audit: Audit; clock: Clock },
  { userId, client }: { userId: string; client: Client },
  bucketNames: readonly string[],
): Promise<void> {
  for (const name of bucketNames) {
    for (const { bucket, block, until } of await clearBuckets(trx, name, clock.now())) {
      const details = { pool: kindOf(bucket), block, until: until.toISOString(), reason: 'password_reset' }
      await audit.record(trx, { type: 'block_ended', userId, client, details })
    }
  }
}
