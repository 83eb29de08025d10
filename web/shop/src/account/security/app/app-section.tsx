import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { GetMfaResponse, PendingFactor } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { ErrorBanner } from '../../frame/error-banner.tsx'
import { RemoveDialog } from '../../frame/remove-dialog.tsx'
import { Row, Rows } from '../../frame/rows.tsx'
import { Section } from '../../frame/section.tsx'
import { useAction } from '../../frame/use-action.ts'
import { AppDialog } from './app-dialog.tsx'

export interface FactorSectionProps {
  mfa: GetMfaResponse
  /** Receives the recovery codes that come with the first second factor. */
  onCodes(codes: readonly string[]): void
}

/** The authenticator app of the account, if it has one. */
export function AppSection({ mfa, onCodes }: FactorSectionProps) {
  const { text, formats } = useTexts()
  const [pending, setPending] = useState<PendingFactor>()
  const [isRemoving, setRemoving] = useState(false)
  const factor = mfa.factors.find(({ method, status }) => method === 'totp' && status === 'enabled')
  const begin = useAction(() => platen.auth.enableFactor({ method: 'totp' }), setPending)
  const remove = useAction(
    () => platen.auth.removeFactor(factor?.id ?? ''),
    () => notices.add({ text: text('account.appRemoved'), tone: 'good' }),
  )
  const finish = (codes: readonly string[] | undefined): void => {
    setPending(undefined)
    if (codes === undefined) notices.add({ text: text('account.appAdded'), tone: 'good' })
    else onCodes(codes)
  }
  return (
    <Section
      title={text('account.app')}
      help={text('account.appHelp')}
      action={
        factor === undefined ? (
          <Button isPending={begin.isPending} onPress={() => begin.mutate()}>
            {text('account.setUpApp')}
          </Button>
        ) : null
      }
    >
      <ErrorBanner error={begin.error} />
      {factor === undefined ? null : (
        <Rows label={text('account.app')}>
          <Row
            icon="qr"
            title={text('account.app')}
            notes={[text('account.addedOn', { date: formats.date(factor.createdAt) })]}
            action={
              <Button look="quiet" onPress={() => setRemoving(true)} aria-label={text('account.removeApp')}>
                {text('account.remove')}
              </Button>
            }
          />
        </Rows>
      )}
      {pending === undefined ? null : (
        <AppDialog pending={pending} onDone={finish} onClose={() => setPending(undefined)} />
      )}
      {isRemoving ? (
        <RemoveDialog title={text('account.removeApp')} action={remove} onClose={() => setRemoving(false)}>
          {text('account.removeFactorHelp')}
        </RemoveDialog>
      ) : null}
    </Section>
  )
}
