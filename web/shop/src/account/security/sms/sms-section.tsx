import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { PendingFactor } from '@platen/client'
import { Button, Dialog, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ErrorBanner } from '../../frame/error-banner.tsx'
import { RemoveDialog } from '../../frame/remove-dialog.tsx'
import { Row, Rows } from '../../frame/rows.tsx'
import { Section } from '../../frame/section.tsx'
import { useAction } from '../../frame/use-action.ts'
import type { FactorSectionProps } from '../app/app-section.tsx'
import { ConfirmFactorForm } from '../confirm-factor-form.tsx'

/** The telephone number that gets codes, if the account has one. */
export function SmsSection({ mfa, onCodes }: FactorSectionProps) {
  const { text, formats } = useTexts()
  const [isAdding, setAdding] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const factor = mfa.factors.find(({ method, status }) => method === 'sms' && status === 'enabled')
  const remove = useAction(
    () => platen.auth.removeFactor(factor?.id ?? ''),
    () => notices.add({ text: text('account.phoneRemoved'), tone: 'good' }),
  )
  const finish = (codes: readonly string[] | undefined): void => {
    setAdding(false)
    if (codes === undefined) notices.add({ text: text('account.phoneAdded'), tone: 'good' })
    else onCodes(codes)
  }
  return (
    <Section
      title={text('account.sms')}
      help={text('account.smsHelp')}
      action={
        <Button onPress={() => setAdding(true)}>
          {text(factor === undefined ? 'account.addPhone' : 'account.changePhone')}
        </Button>
      }
    >
      {factor === undefined ? null : (
        <Rows label={text('account.sms')}>
          <Row
            icon="mail"
            title={factor.phoneNumber}
            notes={[text('account.addedOn', { date: formats.date(factor.createdAt) })]}
            action={
              <Button look="quiet" onPress={() => setRemoving(true)} aria-label={text('account.removePhone')}>
                {text('account.remove')}
              </Button>
            }
          />
        </Rows>
      )}
      {isAdding ? <PhoneDialog onDone={finish} onClose={() => setAdding(false)} /> : null}
      {isRemoving ? (
        <RemoveDialog title={text('account.removePhone')} action={remove} onClose={() => setRemoving(false)}>
          {text('account.removeFactorHelp')}
        </RemoveDialog>
      ) : null}
    </Section>
  )
}

interface PhoneDialogProps {
  onDone(recoveryCodes: readonly string[] | undefined): void
  onClose(): void
}

function PhoneDialog({ onDone, onClose }: PhoneDialogProps) {
  const { text } = useTexts()
  const [phoneNumber, setPhoneNumber] = useState('')
  const [pending, setPending] = useState<PendingFactor>()
  const begin = useAction(
    () => platen.auth.enableFactor({ method: 'sms', phoneNumber: phoneNumber.trim() }),
    setPending,
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    begin.mutate()
  }
  return (
    <Dialog
      title={text('account.addPhone')}
      isOpen
      staysOpen
      onClose={onClose}
      closeLabel={text('common.cancel')}
      size="small"
    >
      {pending === undefined ? (
        <form className="form" onSubmit={submit}>
          <ErrorBanner error={begin.error} />
          <TextField
            label={text('account.phoneNumber')}
            description={text('account.phoneNumberHelp')}
            type="tel"
            autoComplete="tel"
            value={phoneNumber}
            onChange={setPhoneNumber}
            isRequired
            autoFocus
          />
          <Button type="submit" look="primary" isPending={begin.isPending}>
            {text('session.sendCode')}
          </Button>
        </form>
      ) : (
        <>
          <p>{text('account.codeSent', { phoneNumber: phoneNumber.trim() })}</p>
          <ConfirmFactorForm factorId={pending.factorId} label={text('session.codeOfMessage')} onDone={onDone} />
        </>
      )}
    </Dialog>
  )
}
