import { Banner, useTexts } from '@platen/ui'
import { Link } from 'wouter'

/** Guests lose their designs with the browser, which they would not expect. */
export function KeepHint() {
  const { text } = useTexts()
  return (
    <Banner
      action={
        <Link href="/sign-in" className="pl-button">
          {text('shop.signInToKeep')}
        </Link>
      }
    >
      {text('shop.keepHint')}
    </Banner>
  )
}
