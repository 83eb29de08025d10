import type { DesignDocument } from '../../drawing/index.ts'
import { readDocument } from '../checking/submitted-document.ts'
import { changeFrom, type EditDeps, type Target } from '../editing/change-from.ts'
import { findRevision, listRevisions, type Revision } from '../history/store.ts'
import { designProblems } from '../problems.ts'
import type { Design } from '../store.ts'

/**
 * Gives a draft the content of one of its revisions, as a new revision. The report names what has gone since, such as
 * deleted images. The external reference stays.
 *
 * @throws `revision_not_found`, and what `changeDesign` throws
 */
export function restoreRevision(deps: EditDeps, target: Target, revision: string): Promise<Design> {
  return changeFrom(deps, target, async () => {
    const { name, variantId, documentJson, metadataJson } = await requireRevision(deps, target.key, revision)
    const document = await readDocument(deps, target.key.ownerId, JSON.parse(documentJson) as DesignDocument)
    return { changes: { name, variantId, metadata: JSON.parse(metadataJson) }, document, isRestoration: true }
  })
}

/** @throws `revision_not_found`, `design_not_found` */
export async function requireRevision(
  { database }: Pick<EditDeps, 'database'>,
  key: Target['key'],
  text: string,
): Promise<Revision> {
  const isNumber = /^[1-9]\d{0,8}$/.test(text)
  const revision = isNumber ? await findRevision(database.db, key, Number(text)) : undefined
  if (revision !== undefined) return revision
  const isOwn = (await listRevisions(database.db, key)).length > 0
  throw isOwn ? designProblems.revision_not_found() : designProblems.design_not_found()
}
