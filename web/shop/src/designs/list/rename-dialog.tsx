import { OWN, platen } from '@platen/app/session'
import type { ListedDesign } from '@platen/client'
import { Button, Dialog, TextField, useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { problemText } from '../../shell/failures/problem-text.ts'

export function RenameDialog({ design, onClose }: { design: ListedDesign; onClose(): void }) {
  const texts = useTexts()
  const { text } = texts
  const client = useQueryClient()
  const [name, setName] = useState(design.name)
  const rename = useMutation({
    mutationFn: () => platen.designs.change(design.id, { name: name.trim() }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [OWN] })
      onClose()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() !== '') rename.mutate()
  }
  return (
    <Dialog title={text('shop.rename')} isOpen onClose={onClose} closeLabel={text('common.close')} size="small">
      <form className="form" onSubmit={submit}>
        <TextField
          label={text('shop.designName')}
          value={name}
          onChange={setName}
          maxLength={200}
          autoFocus
          isRequired
          error={rename.error === null ? undefined : problemText(texts, rename.error)}
        />
        <Button type="submit" look="primary" isPending={rename.isPending}>
          {text('common.save')}
        </Button>
      </form>
    </Dialog>
  )
}
