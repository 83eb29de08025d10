import { Loading, Page, signInSettings } from '@platen/app/frame'
import { mfaQuery, passkeysQuery } from '@platen/app/sign-in'
import type { OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../shell/failures/failure.tsx'
import { AppSection } from './app/app-section.tsx'
import { ProvidersSection } from './linked/providers-section.tsx'
import { PasskeysSection } from './passkeys/passkeys-section.tsx'
import { PasswordSection } from './password/password-section.tsx'
import { RecoveryCodesDialog } from './recovery/recovery-codes-dialog.tsx'
import { RecoverySection } from './recovery/recovery-section.tsx'
import { SmsSection } from './sms/sms-section.tsx'

/** How the customer signs in. */
export function SecurityPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const mfa = useQuery(mfaQuery())
  const passkeys = useQuery(passkeysQuery())
  const [codes, setCodes] = useState<readonly string[]>()
  const error = mfa.error ?? passkeys.error
  if (error !== null)
    return <Failure error={error} onRetry={() => void Promise.all([mfa.refetch(), passkeys.refetch()])} />
  const hasSms = signInSettings.hasSms || mfa.data?.factors.some(({ method }) => method === 'sms')
  if (mfa.data === undefined || passkeys.data === undefined) return <Loading />
  return (
    <Page title={text('account.security')}>
      <PasswordSection email={user.email} />
      <PasskeysSection passkeys={passkeys.data} onCodes={setCodes} />
      <AppSection mfa={mfa.data} onCodes={setCodes} />
      {hasSms ? <SmsSection mfa={mfa.data} onCodes={setCodes} /> : null}
      {mfa.data.enabled ? <RecoverySection mfa={mfa.data} onCodes={setCodes} /> : null}
      <ProvidersSection />
      {codes === undefined ? null : <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Page>
  )
}
