import { type AccountData, erasedBatch } from '../../auth/index.ts'
import { eachRow } from '../../platform/db/reading/each-row.ts'
import { deleteSomeRevisionsOf, listOwnRevisions, type OwnRevision } from '../history/store.ts'
import { revisionJson } from '../revisions/schemas.ts'

const ERASED_AT_ONCE = 100

/** The earlier revisions of the designs of an account. None of them is needed for an order. */
export const revisionAccountData: AccountData = {
  name: 'designRevisions',
  list: async function* (db, ownerId) {
    const revisions = eachRow<OwnRevision>((last) => listOwnRevisions(db, ownerId, last))
    for await (const revision of revisions) yield revisionJson(revision, { designId: revision.designId })
  },
  erase: async (trx, ownerId) =>
    erasedBatch(await deleteSomeRevisionsOf(trx, ownerId, ERASED_AT_ONCE), { limit: ERASED_AT_ONCE }),
}
