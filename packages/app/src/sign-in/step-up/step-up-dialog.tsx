import { Button, Dialog, TextField, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { signInSettings } from '../../frame/config.ts'
import { Loading } from '../../frame/loading.tsx'
import type { SecondFactorMethod } from '../../session/account.ts'
import { platen } from '../../session/platen.ts'
import { FactorForm } from '../factors/factor-form.tsx'
import { FactorProblem } from '../factors/factor-problem.tsx'
import { stepUpWith } from '../providers/flow.ts'
import { identitiesQuery, mfaQuery, passkeysQuery } from '../queries.ts'

export interface StepUpDialogProps {
  onConfirmed(): void
  onCancel(): void
}

/** Asks the customer to confirm who they are: with the second factor of the account, otherwise with the password. */
export function StepUpDialog({ onConfirmed, onCancel }: StepUpDialogProps) {
  const { text } = useTexts()
  return (
    <Dialog
      title={text('session.confirmTitle')}
      isOpen
      staysOpen
      onClose={onCancel}
      closeLabel={text('common.cancel')}
      size="small"
    >
      <p>{text('session.confirmHelp')}</p>
      <Confirmation onConfirmed={onConfirmed} />
    </Dialog>
  )
}

function Confirmation({ onConfirmed }: { onConfirmed(): void }) {
  const mfa = useQuery(mfaQuery())
  const passkeys = useQuery(passkeysQuery())
  const error = mfa.error ?? passkeys.error
  if (error !== null) return <FactorProblem error={error} />
  if (mfa.data === undefined || passkeys.data === undefined) return <Loading />
  if (!mfa.data.enabled) return <PasswordForm onConfirmed={onConfirmed} />
  const methods: SecondFactorMethod[] = mfa.data.factors
    .filter(({ status }) => status === 'enabled')
    .map(({ method }) => method)
  if (passkeys.data.length > 0) methods.push('webauthn')
  if (mfa.data.recoveryCodesLeft > 0) methods.push('recovery_code')
  return (
    <FactorForm
      methods={methods}
      challenge={(method) => platen.auth.challengeStepUp({ method })}
      verify={async (proof) => {
        await platen.auth.stepUp(proof)
        onConfirmed()
      }}
    />
  )
}

function PasswordForm({ onConfirmed }: { onConfirmed(): void }) {
  const { text } = useTexts()
  const [password, setPassword] = useState('')
  const confirm = useMutation({ mutationFn: () => platen.auth.stepUp({ password }), onSuccess: onConfirmed })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <form className="form" onSubmit={submit}>
      <FactorProblem error={confirm.error} />
      <TextField
        label={text('session.password')}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
        autoFocus
      />
      <Button type="submit" look="primary" isPending={confirm.isPending}>
        {text('session.verify')}
      </Button>
      <LinkedProviders />
    </form>
  )
}

/** An account without a password confirms at a provider. */
function LinkedProviders() {
  const { text } = useTexts()
  const identities = useQuery(identitiesQuery())
  const confirm = useMutation({ mutationFn: stepUpWith })
  const usable = signInSettings.providers.filter(({ name }) =>
    identities.data?.some(({ provider }) => provider === name),
  )
  return (
    <>
      <FactorProblem error={confirm.error} />
      {usable.map(({ name, title }) => (
        <Button key={name} isPending={confirm.isPending} onPress={() => confirm.mutate(name)}>
          {text('session.confirmWith', { provider: title })}
        </Button>
      ))}
    </>
  )
}
