import { readStored, session, store } from '@platen/app/session'
import type { Event } from '@platen/client'

/** A change that the user has made in the console. Its events are no news for the user. */
export interface OwnChange {
  /** The record. */
  id: string
  /** The revision before the change, and the one after it. Without them, all events of these types are its own. */
  after?: number
  until?: number
  types?: readonly Event['type'][]
}

/** An event without the rest of its data, which can have a megabyte. */
export interface EventOrigin {
  id: string
  subject: string
  type: Event['type']
  /** The revision of the record after the change. Undefined if the record was erased. */
  revision: number | undefined
}

/** Changes that a browser stores. A change has up to three events, and 100 unread ones are counted. */
const MOST = 500

/** Files become ready long after the order that needs them was changed, and do not change it. */
const FILES = 'design.files_'

export const originOf = ({ id, subject, type, data }: Event): EventOrigin => ({
  id,
  subject,
  type,
  revision: 'revision' in data ? data.revision : undefined,
})

/** Tells whether an event comes from a change that the user has made in this browser. */
export function isOwn({ subject, type, revision }: EventOrigin): boolean {
  if (type.startsWith(FILES)) return false
  return readOwnChanges().some(
    ({ id, after = 0, until = Number.POSITIVE_INFINITY, types }) =>
      id === subject &&
      revision !== undefined &&
      revision > after &&
      revision <= until &&
      (types === undefined || types.includes(type)),
  )
}

/** Remembers changes of the user, for all tabs of the browser. */
export function storeOwnChanges(changes: readonly OwnChange[]): void {
  const name = storedName()
  if (name !== undefined) store(name, JSON.stringify([...readOwnChanges(), ...changes].slice(-MOST)))
}

function storedName() {
  const { account } = session.state()
  return account.kind === 'user' ? (`platen.ownChanges.${account.user.id}` as const) : undefined
}

/** What was read last, because each event of a busy shop asks for it. */
let known: { text: string; changes: readonly OwnChange[] } = { text: '[]', changes: [] }

function readOwnChanges(): readonly OwnChange[] {
  const name = storedName()
  const text = (name === undefined ? undefined : readStored(name)) ?? '[]'
  if (text !== known.text) known = { text, changes: parse(text) }
  return known.changes
}

/** Another program may have written what the browser has stored. */
function parse(text: string): readonly OwnChange[] {
  try {
    const changes: unknown = JSON.parse(text)
    return Array.isArray(changes) ? changes : []
  } catch {
    return []
  }
}
