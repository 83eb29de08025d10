import { type Static, Type } from 'typebox'
import type { ActorNames } from '../../auth/index.ts'
import { type ChangeRecord, changedFieldBody, EditorBody, toEditorBody } from '../../change-records/index.ts'
import { pageOf } from '../../platform/http/responses/pagination.ts'

const closed = { additionalProperties: false } as const

const TYPES = ['created', 'changed', 'archived', 'restored', 'imported'] as const

const ProductChangeBody = Type.Object(
  {
    id: Type.String(),
    revision: Type.Integer({ description: 'The revision of the product that the change made.' }),
    type: Type.Unsafe<(typeof TYPES)[number]>({ type: 'string', enum: TYPES }),
    actor: EditorBody,
    changes: Type.Array(
      changedFieldBody(
        'ChangedProductField',
        'JSON Pointer into the product. Entries of `printAreas`, `variants` and `images` are named by their ids instead of their positions, such as `/variants/var_01h455vb4pex5vsknk084sn02q/weightGrams`. A pointer to such a list states the order of its ids.',
      ),
    ),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'ProductChange' },
)
type ProductChangeBody = Static<typeof ProductChangeBody>

export const ProductChangePage = pageOf(ProductChangeBody)

export function toProductChangeBody(change: ChangeRecord, names: ActorNames): ProductChangeBody {
  const { id, revision, type, fields, createdAt } = change
  return {
    id,
    // Products count their versions, and are never deleted.
    revision: revision as number,
    type: type as ProductChangeBody['type'],
    actor: toEditorBody(change, names),
    changes: fields,
    createdAt: createdAt.toISOString(),
  }
}
