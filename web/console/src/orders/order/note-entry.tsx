import { platen } from '@platen/app/session'
import type { Order } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { orderProblemText } from '../actions/order-problem-text.ts'
import { orderQuery } from '../queries.ts'
import { actorName } from './timeline/actor-name.ts'

type Note = NonNullable<Order['notes']>[number]

interface NoteProps {
  orderId: string
  note: Note
}

/** A note with its author, who may delete it. */
export function NoteEntry({ mayDelete, ...props }: NoteProps & { mayDelete: boolean }) {
  const { text, formats } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const { text: shown, author, createdAt } = props.note
  const date = formats.dateTime(createdAt)
  return (
    <li>
      <p className="note-text">{shown}</p>
      <p className="note">
        {actorName(author) ?? text(author === undefined ? 'console.byOperator' : 'console.deletedAccount')} ·{' '}
        <time dateTime={createdAt}>{date}</time>
      </p>
      {mayDelete ? (
        <Button look="quiet" aria-label={text('console.deleteNoteOf', { date })} onPress={() => setOpen(true)}>
          {text('console.deleteNote')}
        </Button>
      ) : null}
      {isOpen ? <DeleteDialog {...props} onClose={() => setOpen(false)} /> : null}
    </li>
  )
}

function DeleteDialog({ orderId, note, onClose }: NoteProps & { onClose(): void }) {
  const { text } = useTexts()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => platen.orders.deleteNote(orderId, note.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: orderQuery(orderId).queryKey })
      onClose()
    },
  })
  return (
    <FormDialog
      title={text('console.deleteNote')}
      confirmLabel={text('console.deleteNote')}
      isDanger
      action={remove}
      problemText={orderProblemText}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p className="note-text">{note.text}</p>
    </FormDialog>
  )
}
