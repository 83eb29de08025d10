import { Loading, MoreTexts, part } from '@platen/app/frame'
import { session, useAccount } from '@platen/app/session'
import type { OwnUser } from '@platen/client'
import { type ReactNode, useEffect, useState } from 'react'
import { Failure } from '../shell/failure.tsx'
import { isStaff } from './may-use.ts'

const SignInPage = part(() => import('./sign-in-page.tsx'), 'SignInPage')
const NoRolePage = part(() => import('./no-role-page.tsx'), 'NoRolePage')

/** Shows its children to staff only. Others can sign in. */
export function Gate({ children }: { children: (user: OwnUser) => ReactNode }) {
  const account = useAccount()
  if (account.kind === 'unknown') return <Unknown />
  if (account.kind === 'user' && isStaff(account.user)) return children(account.user)
  return (
    <MoreTexts groups={['session']}>
      {account.kind === 'user' ? <NoRolePage user={account.user} /> : <SignInPage />}
    </MoreTexts>
  )
}

/** Waits until the service has told whose session it is. */
function Unknown() {
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    session.begin().catch(setError)
  }, [])
  const retry = (): void => {
    setError(undefined)
    session.reload().catch(setError)
  }
  return error === undefined ? <Loading /> : <Failure error={error} onRetry={retry} />
}
