import { type ActorNames, findActorNames } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import { type Page, type PageQuery, readCursor, toCutPage } from '../platform/http/responses/pagination.ts'
import { type ChangeFilter, type ChangeRecord, listChanges } from './store.ts'

/**
 * Reads a page of changes with the names of their actors.
 *
 * @throws `invalid_cursor`
 */
export async function readChangePage<Body>(
  db: Db,
  query: PageQuery,
  { subject, subjectId }: Pick<ChangeFilter, 'subject' | 'subjectId'>,
  present: (change: ChangeRecord, names: ActorNames) => Body,
): Promise<Page<Body>> {
  const page = await listChanges(db, { subject, subjectId, after: readCursor(query), limit: query.limit })
  const names = await findActorNames(db, {
    userIds: page.rows.map(({ actorId }) => actorId),
    keyIds: page.rows.flatMap(({ actorKeyId }) => actorKeyId ?? []),
  })
  return toCutPage(page, (change) => present(change, names))
}
