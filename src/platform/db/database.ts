import { Kysely, type TransactionBuilder } from 'kysely'
import { isStalePlan } from './connections/errors.ts'
import type { DB } from './schema.generated.ts'

/** Limit of runs of one transaction. More than two, because another migration may commit between two runs. */
const MOST_TRIES = 3

/**
 * A Kysely instance whose transactions survive a migration that commits while they run. If a transaction fails because
 * a statement was prepared before the migration, the transaction runs again from its beginning. The function of a
 * transaction must therefore be safe to run twice.
 */
export class Database extends Kysely<DB> {
  override transaction(): TransactionBuilder<DB> {
    return repeating(super.transaction())
  }
}

function repeating(builder: TransactionBuilder<DB>): TransactionBuilder<DB> {
  const begin = builder.execute.bind(builder)
  const setIsolationLevel = builder.setIsolationLevel.bind(builder)
  const setAccessMode = builder.setAccessMode.bind(builder)
  return Object.assign(builder, {
    setIsolationLevel: (level: Parameters<typeof setIsolationLevel>[0]) => repeating(setIsolationLevel(level)),
    setAccessMode: (mode: Parameters<typeof setAccessMode>[0]) => repeating(setAccessMode(mode)),
    execute: async <T>(work: Parameters<typeof begin<T>>[0]): Promise<T> => {
      for (let triesLeft = MOST_TRIES; ; triesLeft -= 1) {
        try {
          return await begin(work)
        } catch (error) {
          if (!isStalePlan(error) || triesLeft === 1) throw error
        }
      }
    },
  })
}
