import type { Db } from '../../db/index.ts'
import type { StoredObject } from './object-store.ts'
import type { StorageReferences } from './references.ts'
import { findReferenced, listRecorded } from './store.ts'

const BATCH = 500

/** Lists the objects to which any feature refers, in the order of their hashes. */
export async function* listReferenced(
  db: Db,
  references: readonly StorageReferences[],
): AsyncGenerator<StoredObject[], void> {
  for (let after = ''; ; ) {
    const recorded = await listRecorded(db, after, BATCH)
    const last = recorded.at(-1)
    if (last === undefined) return
    const hashes = recorded.map(({ sha256 }) => sha256)
    const referenced = await findReferenced(db, references, hashes)
    yield recorded.filter(({ sha256 }) => referenced.has(sha256))
    after = last.sha256
  }
}
