import { Banner, useTexts } from '@platen/ui'
import { Link, useLocation } from 'wouter'

/** Guests lose their designs with the browser, which they would not expect. After the sign-in, the page is shown again. */
export function KeepHint() {
  const { text } = useTexts()
  const [path] = useLocation()
  return (
    <Banner
      action={
        <Link href={`/sign-in?next=${path}`} className="pl-button">
          {text('shop.signInToKeep')}
        </Link>
      }
    >
      {text('shop.keepHint')}
    </Banner>
  )
}
