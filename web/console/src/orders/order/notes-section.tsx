import { platen } from '@platen/app/session'
import type { Order, OwnUser } from '@platen/client'
import { Banner, Button, TextField, useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { mayUse, type Permission } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Section } from '../../parts/page/section.tsx'
import { orderProblemText } from '../actions/order-problem-text.ts'
import { orderQuery } from '../queries.ts'
import { NoteEntry } from './note-entry.tsx'

/** Permissions to change orders. Each of them suffices to write notes. */
const NOTING: readonly Permission[] = ['orders:write', 'payments:write', 'production:write', 'shipping:write']

/** What the staff has noted about an order. Customers do not see it. */
export function NotesSection({ order, user }: { order: Order; user: OwnUser }) {
  const { text } = useTexts()
  const notes = order.notes ?? []
  const mayAdd = NOTING.some((permission) => mayUse(user, permission))
  if (notes.length === 0 && !mayAdd) return null
  return (
    <Section title={text('console.notes')}>
      <ul className="notes">
        {notes.map((note) => (
          <NoteEntry
            key={note.id}
            orderId={order.id}
            note={note}
            mayDelete={mayAdd && note.author?.userId === user.id}
          />
        ))}
      </ul>
      {mayAdd ? <NewNote orderId={order.id} /> : null}
    </Section>
  )
}

function NewNote({ orderId }: { orderId: string }) {
  const texts = useTexts()
  const { text } = texts
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useShortcuts([{ keys: 'n', title: 'console.newNote', run: () => form.current?.querySelector('textarea')?.focus() }])
  const add = useMutation({
    mutationFn: () => platen.orders.addNote(orderId, { text: note.trim() }),
    onSuccess: async () => {
      setNote('')
      await client.invalidateQueries({ queryKey: orderQuery(orderId).queryKey })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (note.trim() !== '') add.mutate()
  }
  return (
    <form ref={form} className="form" onSubmit={submit}>
      {add.error === null ? null : (
        <Banner tone="danger" isLive>
          {orderProblemText(texts, add.error)}
        </Banner>
      )}
      <TextField
        label={text('console.newNote')}
        description={text('console.notesHelp')}
        rows={2}
        maxLength={2000}
        value={note}
        onChange={setNote}
      />
      <Button type="submit" isPending={add.isPending} isDisabled={note.trim() === ''}>
        {text('console.addNote')}
      </Button>
    </form>
  )
}
