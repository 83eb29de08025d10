import { Button, Icon, useTexts } from '@platen/ui'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { InviteDialog } from './invite-dialog.tsx'

/** Opens the dialog of a new invitation. */
export function InviteButton() {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  useShortcuts([{ keys: 'i', title: 'consolePeople.invite', run: () => setOpen(true) }])
  return (
    <>
      <Button look="primary" onPress={() => setOpen(true)}>
        <Icon name="plus" size={18} />
        {text('consolePeople.invite')}
      </Button>
      {isOpen ? <InviteDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}
