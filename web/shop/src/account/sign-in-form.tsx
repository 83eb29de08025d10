import { useAccount } from '@platen/app/session'
import { SignInForm as Form } from '@platen/app/sign-in'
import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { useNextPage } from './next-page.ts'
import { useClaimNotice } from './use-claim-notice.ts'

export interface SignInFormProps {
  email?: string
  onDone(): void
}

/** Signs in to the shop, and says what has become of the designs of a guest. */
export function SignInForm({ email = '', onDone }: SignInFormProps) {
  const { text } = useTexts()
  const account = useAccount()
  const next = useNextPage()
  const tellOfClaim = useClaimNotice()
  return (
    <Form
      email={email}
      next={next}
      onDone={(claim) => {
        tellOfClaim(claim)
        onDone()
      }}
    >
      <p className="form-links">
        <Link href="/forgot-password">{text('session.forgotPassword')}</Link>
        {account.kind === 'guest' ? <span>{text('session.designsComeAlong')}</span> : null}
      </p>
    </Form>
  )
}
