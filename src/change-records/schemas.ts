import { type Static, Type } from 'typebox'
import type { ActorNames } from '../auth/index.ts'
import { PageQuery, pageOf } from '../platform/http/responses/pagination.ts'
import { CHANGE_TYPES, type ChangeRecord, type ChangeType, SUBJECTS, type Subject } from './store.ts'

const closed = { additionalProperties: false } as const

const nameOf = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** The actor of a change. */
export const EditorBody = Type.Object(
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
  { ...closed, title: 'ChangeActor' },
)
export type EditorBody = Static<typeof EditorBody>

const value = (description: string) => Type.Optional(Type.Unknown({ description }))

/** The schema of a changed field, for subjects whose pointers a text describes. */
export const changedFieldBody = (title: string, description: string) =>
  Type.Object(
    {
      pointer: Type.String({ description }),
      before: value('Absent if there was no value before.'),
      after: value('Absent if there is no value any more.'),
    },
    { ...closed, title },
  )

const ChangeRecordBody = Type.Object(
  {
    id: Type.String(),
    subject: Type.Unsafe<Subject>({ type: 'string', enum: SUBJECTS }),
    subjectId: Type.String({
      description:
        'Id of what changed, also if it was deleted. For `tax_settings` and `shop`, the same as `subject`. For `mail_text`, kind and language, such as `order_paid/en`.',
    }),
    subjectName: nameOf('Its name after the change, or before the deletion. Null if it has no name.'),
    revision: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The `revision` that the change made. Null if the subject has none.',
    }),
    type: Type.Unsafe<ChangeType>({ type: 'string', enum: CHANGE_TYPES }),
    actor: EditorBody,
    changes: Type.Array(
      changedFieldBody(
        'ChangedField',
        'JSON Pointer into the subject. Tax rates are named by their country and region, such as `/rates/US-CA/basisPoints`, zones of shipping methods by their position, and parts of products by their ids.',
      ),
    ),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'ChangeRecord' },
)
type ChangeRecordBody = Static<typeof ChangeRecordBody>

export const ChangeRecordPage = pageOf(ChangeRecordBody)

export const ChangeRecordQuery = Type.Object(
  {
    ...PageQuery.properties,
    subject: Type.Unsafe<Subject>({ type: 'string', enum: SUBJECTS, description: 'What changed.' }),
    subjectId: Type.Optional(Type.String({ maxLength: 64, description: 'Default: all changes of this kind.' })),
  },
  closed,
)

export function toEditorBody({ actorId, actorKeyId }: ChangeRecord, names: ActorNames): EditorBody {
  return {
    userId: actorId,
    ...(names.users.get(actorId) ?? { name: null, email: null }),
    ...(actorKeyId === null ? {} : { apiKey: { id: actorKeyId, name: names.keys.get(actorKeyId) ?? null } }),
  }
}

export function toChangeRecordBody(change: ChangeRecord, names: ActorNames): ChangeRecordBody {
  const { id, subject, subjectId, subjectName, revision, type, fields, createdAt } = change
  return {
    ...{ id, subject, subjectId, subjectName, revision, type },
    actor: toEditorBody(change, names),
    changes: fields,
    createdAt: createdAt.toISOString(),
  }
}
