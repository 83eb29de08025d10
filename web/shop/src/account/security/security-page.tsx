import type { OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../shell/failures/failure.tsx'
import { Loading } from '../../shell/loading.tsx'
import { Page } from '../../shell/page.tsx'
import { mfaQuery, passkeysQuery } from '../queries.ts'
import { AppSection } from './app/app-section.tsx'
import { PasskeysSection } from './passkeys/passkeys-section.tsx'
import { RecoveryCodesDialog } from './recovery/recovery-codes-dialog.tsx'

/** How the customer signs in. */
export function SecurityPage(_: { user: OwnUser }) {
  const { text } = useTexts()
  const mfa = useQuery(mfaQuery())
  const passkeys = useQuery(passkeysQuery())
  const [codes, setCodes] = useState<readonly string[]>()
  const error = mfa.error ?? passkeys.error
  if (error !== null)
    return <Failure error={error} onRetry={() => void Promise.all([mfa.refetch(), passkeys.refetch()])} />
  if (mfa.data === undefined || passkeys.data === undefined) return <Loading />
  return (
    <Page title={text('account.security')}>
      <PasskeysSection passkeys={passkeys.data} onCodes={setCodes} />
      <AppSection mfa={mfa.data} onCodes={setCodes} />
      {codes === undefined ? null : <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Page>
  )
}
