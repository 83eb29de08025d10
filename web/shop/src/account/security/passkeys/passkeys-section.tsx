import { notices } from '@platen/app/frame'
import { useDeviceName } from '@platen/app/security'
import { platen } from '@platen/app/session'
import { createPasskey, hasPasskeys } from '@platen/app/sign-in'
import type { Passkey } from '@platen/client'
import { Button, Icon, Menu, useTexts } from '@platen/ui'
import { useState } from 'react'
import { ErrorBanner } from '../../frame/error-banner.tsx'
import { RemoveDialog } from '../../frame/remove-dialog.tsx'
import { Row, Rows } from '../../frame/rows.tsx'
import { Section } from '../../frame/section.tsx'
import { useAction } from '../../frame/use-action.ts'
import { RenamePasskeyDialog } from './rename-passkey-dialog.tsx'

export interface PasskeysSectionProps {
  passkeys: readonly Passkey[]
  /** Receives the recovery codes that come with the first second factor. */
  onCodes(codes: readonly string[]): void
}

export function PasskeysSection({ passkeys, onCodes }: PasskeysSectionProps) {
  const { text } = useTexts()
  const name = useDeviceName()(navigator.userAgent)
  const add = useAction(
    async () => {
      const offer = await platen.auth.offerPasskey()
      const { challengeId } = offer
      return platen.auth.addPasskey({ challengeId, credential: await createPasskey(offer), name })
    },
    ({ recoveryCodes }) => {
      // A notice would hide the codes on a phone.
      if (recoveryCodes === undefined) notices.add({ text: text('account.passkeyAdded'), tone: 'good' })
      else onCodes(recoveryCodes)
    },
  )
  return (
    <Section
      title={text('account.passkeys')}
      help={text('account.passkeysHelp')}
      action={
        hasPasskeys() ? (
          <Button isPending={add.isPending} onPress={() => add.mutate()}>
            <Icon name="plus" size={18} />
            {text('account.addPasskey')}
          </Button>
        ) : null
      }
    >
      <ErrorBanner error={add.error} />
      {passkeys.length === 0 ? null : (
        <Rows label={text('account.passkeys')}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { text, formats } = useTexts()
  const [dialog, setDialog] = useState<'rename' | 'remove'>()
  const { id, name, createdAt, lastUsedAt } = passkey
  const close = (): void => setDialog(undefined)
  const remove = useAction(
    () => platen.auth.removePasskey(id),
    () => notices.add({ text: text('account.passkeyRemoved', { name }), tone: 'good' }),
  )
  const label = text('shop.actionsOf', { name })
  return (
    <>
      <Row
        icon="key"
        title={name}
        notes={[
          text('account.addedOn', { date: formats.date(createdAt) }),
          lastUsedAt === null ? text('account.neverUsed') : text('account.lastUsed', { when: formats.ago(lastUsedAt) }),
        ]}
        action={
          <Menu
            aria-label={label}
            trigger={
              <Button look="quiet" isIcon aria-label={label}>
                <Icon name="more" />
              </Button>
            }
            actions={[
              { id: 'rename', text: text('shop.rename'), icon: 'text', onAction: () => setDialog('rename') },
              {
                id: 'remove',
                text: text('account.remove'),
                icon: 'trash',
                isDanger: true,
                onAction: () => setDialog('remove'),
              },
            ]}
          />
        }
      />
      {dialog === 'rename' ? <RenamePasskeyDialog passkey={passkey} onClose={close} /> : null}
      {dialog === 'remove' ? (
        <RemoveDialog title={text('account.removePasskey', { name })} action={remove} onClose={close}>
          {text('account.removePasskeyHelp')}
        </RemoveDialog>
      ) : null}
    </>
  )
}
