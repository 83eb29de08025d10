import { nameOfLanguage } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { LANGUAGES, Select, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { PeopleDialog } from '../people-dialog.tsx'
import { RoleSelect } from '../role-select.tsx'
import { accountRoleOf, type RoleName } from '../roles.ts'
import { usePeopleAction } from '../use-people-action.ts'

/** Invites a person by mail. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { text, locale: present } = useTexts()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<RoleName>('operator')
  const [locale, setLocale] = useState(LANGUAGES.find((language) => language === present) ?? 'en')
  const invite = usePeopleAction(
    () => platen.invitations.create({ email: email.trim(), locale, ...accountRoleOf(role) }),
    { done: text('consolePeople.invited', { email: email.trim() }), onDone: onClose },
  )
  return (
    <PeopleDialog
      title={text('consolePeople.invite')}
      confirmLabel={text('consolePeople.sendInvitation')}
      isDisabled={email.trim() === ''}
      action={invite}
      onConfirm={() => invite.mutate()}
      onClose={onClose}
    >
      <p>{text('consolePeople.inviteHelp')}</p>
      <TextField
        label={text('consolePeople.email')}
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
        isRequired
        autoFocus
      />
      <RoleSelect value={role} onChange={setRole} />
      <Select
        label={text('consolePeople.languageOfMail')}
        choices={LANGUAGES.map((id) => ({ id, text: nameOfLanguage(id) }))}
        value={locale}
        onChange={setLocale}
      />
    </PeopleDialog>
  )
}
