import { type Static, Type } from 'typebox'
import { PageQuery, pageOf } from '../../platform/http/responses/pagination.ts'
import type { Revision, RevisionSummary } from '../history/store.ts'
import { DesignBody, membersOf, objectOf } from '../schemas.ts'

const closed = { additionalProperties: false } as const

const { revision, name, variantId, document, metadata } = DesignBody.properties
const createdAt = Type.String({ format: 'date-time', description: 'When the revision was saved.' })

export const RevisionSummaryBody = Type.Object(
  { revision, name, createdAt },
  { ...closed, title: 'DesignRevisionSummary' },
)

export const RevisionBody = Type.Object(
  { revision, name, variantId, document, metadata, createdAt },
  { ...closed, title: 'DesignRevision' },
)

export const RevisionPage = pageOf(RevisionSummaryBody)
export const RevisionListQuery = PageQuery
export const RevisionParams = Type.Object({ designId: Type.String(), revision: Type.String() }, closed)

export function toSummaryBody({ revision, name, createdAt }: RevisionSummary): Static<typeof RevisionSummaryBody> {
  return { revision, name, createdAt: createdAt.toISOString() }
}

/**
 * Presents a revision as JSON text, so that document and metadata need no parsing.
 *
 * @param more further members
 */
export function revisionJson(of: Revision, more: object = {}): string {
  return objectOf(
    membersOf({ ...more, revision: of.revision, name: of.name, variantId: of.variantId }),
    `"document":${of.documentJson},"metadata":${of.metadataJson}`,
    membersOf({ createdAt: of.createdAt.toISOString() }),
  )
}
