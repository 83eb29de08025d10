import { platen } from '@platen/app/session'
import type { Invitation } from '@platen/client'
import { Button, Icon, Menu, useTexts } from '@platen/ui'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { PeopleDialog } from '../people-dialog.tsx'
import { usePeopleAction } from '../use-people-action.ts'

interface DialogProps {
  invitation: Invitation
  onClose(): void
}

/** What can be done with an invitation: another mail, or its end. */
export function InvitationActions({ invitation }: { invitation: Invitation }) {
  const { text } = useTexts()
  const [open, setOpen] = useState<'resend' | 'revoke'>()
  const { email, status } = invitation
  const close = (): void => setOpen(undefined)
  useShortcuts([
    ...(status === 'accepted'
      ? []
      : [{ title: 'consolePeople.sendAgain' as const, of: email, run: () => setOpen('resend') }]),
    ...(status === 'pending'
      ? [{ title: 'consolePeople.revokeInvitation' as const, of: email, run: () => setOpen('revoke') }]
      : []),
  ])
  if (status === 'accepted') return null
  const name = text('consolePeople.actionsOf', { name: email })
  return (
    <>
      <Menu
        aria-label={name}
        trigger={
          <Button look="quiet" isIcon aria-label={name}>
            <Icon name="more" />
          </Button>
        }
        actions={[
          { id: 'resend', text: text('consolePeople.sendAgain'), icon: 'mail', onAction: () => setOpen('resend') },
          ...(status === 'pending'
            ? [
                {
                  id: 'revoke',
                  text: text('consolePeople.revokeInvitation'),
                  icon: 'trash',
                  isDanger: true,
                  onAction: () => setOpen('revoke'),
                } as const,
              ]
            : []),
        ]}
      />
      {open === 'resend' ? <ResendDialog invitation={invitation} onClose={close} /> : null}
      {open === 'revoke' ? <RevokeDialog invitation={invitation} onClose={close} /> : null}
    </>
  )
}

/** A new invitation takes the place of the old one, whose link then stops working. */
function ResendDialog({ invitation: { email, role, staffRole, locale }, onClose }: DialogProps) {
  const { text } = useTexts()
  const resend = usePeopleAction(
    () => platen.invitations.create({ email, role, staffRole, ...(locale === null ? {} : { locale }) }),
    { done: text('consolePeople.invited', { email }), onDone: onClose },
  )
  return (
    <PeopleDialog
      title={text('consolePeople.sendAgain')}
      confirmLabel={text('consolePeople.sendInvitation')}
      action={resend}
      onConfirm={() => resend.mutate()}
      onClose={onClose}
    >
      <p>{text('consolePeople.sendAgainHelp', { email })}</p>
    </PeopleDialog>
  )
}

function RevokeDialog({ invitation: { id, email }, onClose }: DialogProps) {
  const { text } = useTexts()
  const revoke = usePeopleAction(() => platen.invitations.revoke(id), {
    done: text('consolePeople.invitationWithdrawn'),
    onDone: onClose,
  })
  return (
    <PeopleDialog
      title={text('consolePeople.revokeInvitation')}
      confirmLabel={text('consolePeople.revokeInvitation')}
      isDanger
      action={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>{text('consolePeople.revokeInvitationHelp', { email })}</p>
    </PeopleDialog>
  )
}
