import { type Static, Type } from 'typebox'
import { type ActorNames, findActorNames } from '../../auth/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Order } from './store.ts'

const closed = { additionalProperties: false } as const

export const ActorBody = Type.Object(
  {
    userId: Type.String(),
    name: Type.Union([Type.String(), Type.Null()], { description: 'Null without a name, and for an erased account.' }),
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

/** Who did something, as the database records it. */
export interface RecordedActor {
  actorId: string | null
  actorKeyId: string | null
}

/** Finds the names of all who acted on some orders, in at most two queries. */
export function findNamesFor(db: Db | Trx, orders: readonly Order[]): Promise<ActorNames> {
  const actors: RecordedActor[] = orders.flatMap(({ timeline }) => timeline)
  const present = (ids: (string | null)[]) => ids.filter((id) => id !== null)
  return findActorNames(db, {
    userIds: present(actors.map(({ actorId }) => actorId)),
    keyIds: present(actors.map(({ actorKeyId }) => actorKeyId)),
  })
}

/** Returns undefined for the service itself and for the command line. */
export function toActorBody({ actorId, actorKeyId }: RecordedActor, names: ActorNames): ActorBody | undefined {
  if (actorId === null) return undefined
  const actor = { userId: actorId, name: names.users.get(actorId) ?? null }
  if (actorKeyId === null) return actor
  return { ...actor, apiKey: { id: actorKeyId, name: names.keys.get(actorKeyId) ?? null } }
}
