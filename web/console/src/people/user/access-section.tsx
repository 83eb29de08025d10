import { platen } from '@platen/app/session'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Section } from '../../parts/page/section.tsx'
import { PeopleDialog } from '../people-dialog.tsx'
import { usePeopleAction } from '../use-people-action.ts'
import type { UserPartProps } from './user-part-props.ts'

/** Whether the user can sign in, and its change. Another administrator disables the own account. */
export function AccessSection({ user, viewer }: UserPartProps) {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const isOwn = user.id === viewer.id
  const title = user.disabled ? 'consolePeople.enable' : 'consolePeople.disable'
  useShortcuts(isOwn ? [] : [{ title, run: () => setOpen(true) }])
  return (
    <Section title={text('consolePeople.access')}>
      <p>{text(user.disabled ? 'consolePeople.isDisabled' : 'consolePeople.isEnabled')}</p>
      {isOwn ? (
        <p className="note">{text('consolePeople.ownAccess')}</p>
      ) : (
        <Button look={user.disabled ? 'normal' : 'danger'} onPress={() => setOpen(true)}>
          {text(title)}
        </Button>
      )}
      {isOpen ? <AccessDialog user={user} onClose={() => setOpen(false)} /> : null}
    </Section>
  )
}

function AccessDialog({ user, onClose }: Pick<UserPartProps, 'user'> & { onClose(): void }) {
  const { text } = useTexts()
  // The account changes while the dialog closes, and its words must not.
  const [{ disabled, email, id }] = useState(user)
  const change = usePeopleAction(() => platen.users.update(id, { disabled: !disabled }), {
    done: text(disabled ? 'consolePeople.doneEnable' : 'consolePeople.doneDisable', { email }),
    onDone: onClose,
  })
  const title = text(disabled ? 'consolePeople.enable' : 'consolePeople.disable')
  return (
    <PeopleDialog
      title={title}
      confirmLabel={title}
      isDanger={!disabled}
      action={change}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <p>{text(disabled ? 'consolePeople.enableHelp' : 'consolePeople.disableHelp', { email })}</p>
    </PeopleDialog>
  )
}
