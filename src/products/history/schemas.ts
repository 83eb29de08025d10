import { type Static, Type } from 'typebox'
import type { ActorNames } from '../../auth/index.ts'
import { pageOf } from '../../platform/http/responses/pagination.ts'
import { CHANGE_TYPES, type ProductChange } from './store.ts'

const closed = { additionalProperties: false } as const

const nameOf = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const EditorBody = Type.Object(
  {
    userId: Type.String(),
    name: nameOf('Null without a name, and for an erased account.'),
    email: nameOf('Email address of staff. Null for customers, and for an erased account.'),
    apiKey: Type.Optional(
      Type.Object(
        { id: Type.String(), name: nameOf('Null once the revoked key is deleted.') },
        { ...closed, description: 'The API key of the user with which the request was made.' },
      ),
    ),
  },
  { ...closed, title: 'ProductEditor' },
)

const ChangedFieldBody = Type.Object(
  {
    pointer: Type.String({
      description:
        'JSON Pointer into the product. Entries of `printAreas`, `variants` and `images` are named by their ids instead of their positions, such as `/variants/var_01h455vb4pex5vsknk084sn02q/weightGrams`. A pointer to such a list states the order of its ids.',
    }),
    before: Type.Optional(Type.Unknown({ description: 'Absent if there was no value before.' })),
    after: Type.Optional(Type.Unknown({ description: 'Absent if there is no value any more.' })),
  },
  { ...closed, title: 'ChangedProductField' },
)

const ProductChangeBody = Type.Object(
  {
    id: Type.String(),
    revision: Type.Integer({ description: 'The revision of the product that the change made.' }),
    type: Type.Unsafe<(typeof CHANGE_TYPES)[number]>({ type: 'string', enum: CHANGE_TYPES }),
    actor: EditorBody,
    changes: Type.Array(ChangedFieldBody),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'ProductChange' },
)
type ProductChangeBody = Static<typeof ProductChangeBody>

export const ProductChangePage = pageOf(ProductChangeBody)

export function toChangeBody(change: ProductChange, names: ActorNames): ProductChangeBody {
  const { id, revision, type, actorId, actorKeyId, fields, createdAt } = change
  return {
    id,
    revision,
    type,
    actor: {
      userId: actorId,
      ...(names.users.get(actorId) ?? { name: null, email: null }),
      ...(actorKeyId === null ? {} : { apiKey: { id: actorKeyId, name: names.keys.get(actorKeyId) ?? null } }),
    },
    changes: fields,
    createdAt: createdAt.toISOString(),
  }
}
