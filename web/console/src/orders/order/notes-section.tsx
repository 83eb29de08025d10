import { platen } from '@platen/app/session'
import type { Order } from '@platen/client'
import { Banner, Button, TextField, useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Section } from '../../parts/section.tsx'
import { orderProblemText } from '../actions/order-problem-text.ts'
import { orderQuery } from '../queries.ts'

/** What the staff has noted about an order. Customers do not see it. */
export function NotesSection({ order }: { order: Order }) {
  const texts = useTexts()
  const { text, formats } = texts
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const add = useMutation({
    mutationFn: () => platen.orders.addNote(order.id, { text: note.trim() }),
    onSuccess: async () => {
      setNote('')
      await client.invalidateQueries({ queryKey: orderQuery(order.id).queryKey })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (note.trim() !== '') add.mutate()
  }
  return (
    <Section title={text('console.notes')}>
      <ul className="notes">
        {order.notes?.map(({ id, text: shown, author, createdAt }) => (
          <li key={id}>
            <p className="note-text">{shown}</p>
            <p className="note">
              {author?.name ?? text('console.byOperator')} ·{' '}
              <time dateTime={createdAt}>{formats.dateTime(createdAt)}</time>
            </p>
          </li>
        ))}
      </ul>
      <form className="form" onSubmit={submit}>
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
    </Section>
  )
}
