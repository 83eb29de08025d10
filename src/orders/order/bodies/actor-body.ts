import { type Static, Type } from 'typebox'
import { type ActorNames, findActorNames } from '../../../auth/index.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { OrderNote, RecordedActor } from '../store.ts'

const closed = { additionalProperties: false } as const

export const ActorBody = Type.Object(
  {
    userId: Type.String(),
    name: Type.Union([Type.String(), Type.Null()], { description: 'Null without a name, and for an erased account.' }),
    email: Type.Union([Type.String(), Type.Null()], {
      description: 'Email address of staff. Null for customers, and for an erased account.',
    }),
    apiKey: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          name: Type.Union([Type.String(), Type.Null()], { description: 'Null once the revoked key is deleted.' }),
        },
        { ...closed, description: 'The API key of the user with which the request was made.' },
      ),
    ),
  },
  { ...closed, title: 'OrderActor', description: 'The user who acted. Only operators see it.' },
)
export type ActorBody = Static<typeof ActorBody>

export const NoteBody = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    author: Type.Optional(ActorBody),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'OrderNote' },
)
export type NoteBody = Static<typeof NoteBody>

/** Finds the names of actors in at most two queries. */
export function findActorsOf(db: Db | Trx, actors: readonly RecordedActor[]): Promise<ActorNames> {
  const present = (ids: (string | null)[]) => ids.filter((id) => id !== null)
  return findActorNames(db, {
    userIds: present(actors.map(({ actorId }) => actorId)),
    keyIds: present(actors.map(({ actorKeyId }) => actorKeyId)),
  })
}

/** Returns undefined for the service itself and for the command line. */
export function toActorBody({ actorId, actorKeyId }: RecordedActor, names: ActorNames): ActorBody | undefined {
  if (actorId === null) return undefined
  const { name, email } = names.users.get(actorId) ?? { name: null, email: null }
  const actor = { userId: actorId, name, email }
  if (actorKeyId === null) return actor
  return { ...actor, apiKey: { id: actorKeyId, name: names.keys.get(actorKeyId) ?? null } }
}

export function toNoteBody(note: OrderNote, names: ActorNames): NoteBody {
  const { id, text, createdAt } = note
  const author = toActorBody(note, names)
  return { id, text, ...(author === undefined ? {} : { author }), createdAt: createdAt.toISOString() }
}
