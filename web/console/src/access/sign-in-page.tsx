import { SignInForm } from '@platen/app/sign-in'
import { useTexts } from '@platen/ui'
import { Entrance } from './entrance.tsx'
import { useOwnUrl } from './use-own-url.ts'

/** Takes the place of each page until a user signs in, so that a link to a page still leads to it. */
export function SignInPage() {
  const { text } = useTexts()
  const next = useOwnUrl()
  return (
    <Entrance title={text('console.signInTitle')}>
      <SignInForm next={next} onDone={() => undefined}>
        <p className="form-links">
          <a href="/forgot-password">{text('console.forgotPassword')}</a>
          <a href="/">{text('console.toShop')}</a>
        </p>
      </SignInForm>
    </Entrance>
  )
}
