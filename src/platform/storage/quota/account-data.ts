import type { Db, Trx } from '../../db/index.ts'
import type { StorageQuota } from './quota.ts'
import type { StorageUse } from './storage-use.ts'
import { deleteUsage, moveUsage } from './store.ts'

/** Returns the storage use of an account, for its export and its erasure. */
export function storageAccountData({ read }: Pick<StorageQuota, 'read'>) {
  return {
    name: 'storage',
    list: async function* (_db: Db, ownerId: string): AsyncGenerator<StorageUse> {
      yield await read(ownerId)
    },
    erase: async (trx: Trx, ownerId: string): Promise<boolean> => {
      await deleteUsage(trx, ownerId)
      return true
    },
    move: async (trx: Trx, from: string, to: string): Promise<number> => {
      await moveUsage(trx, from, to)
      return 0
    },
  }
}
