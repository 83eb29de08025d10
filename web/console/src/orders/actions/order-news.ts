import type { Order } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'
import { actorName } from '../order/timeline/actor-name.ts'
import { TIMELINE_TEXTS } from '../order/timeline/timeline-texts.ts'

const WHAT: Readonly<Record<string, MessageKey>> = TIMELINE_TEXTS

/** A dialog shows the beginning of a note. The page has the rest. */
const NOTE_LENGTH = 200

/** Says what has happened to an order since it was seen. Undefined if neither its history nor its notes tell. */
export function orderNews(seen: Order, now: Order, { text }: Pick<Texts, 'text'>): string | undefined {
  const { entries, notes } = newParts(seen, now)
  const present = new Set(now.notes?.map(({ id }) => id))
  const isNoteGone = seen.notes?.some(({ id }) => !present.has(id)) === true
  const news = [
    ...(isNoteGone ? [text('console.newsNoteGone')] : []),
    ...entries.map(({ type, actor }) => {
      const key = WHAT[type]
      const what = key === undefined ? type : text(key)
      const name = actorName(actor)
      return name === undefined ? what : text('console.newsChange', { what, name })
    }),
    ...notes.map((note) => {
      const shown = note.text.length > NOTE_LENGTH ? `${note.text.slice(0, NOTE_LENGTH)}…` : note.text
      return text('console.newsNote', { name: actorName(note.author) ?? text('console.byOperator'), note: shown })
    }),
  ]
  return news.length === 0 ? undefined : text('console.news', { changes: news.join('; ') })
}

function newParts(seen: Order, now: Order): { entries: Order['timeline']; notes: NonNullable<Order['notes']> } {
  const notes = now.notes ?? []
  // Until the order is read, a page shows its row of a table, which has neither notes nor the whole history.
  if (seen.notes === undefined) {
    const isLater = (at: string): boolean => at > seen.updatedAt
    return {
      entries: now.timeline.filter(({ at }) => isLater(at)),
      notes: notes.filter(({ createdAt }) => isLater(createdAt)),
    }
  }
  const known = new Set(seen.notes.map(({ id }) => id))
  return { entries: now.timeline.slice(seen.timeline.length), notes: notes.filter(({ id }) => !known.has(id)) }
}
