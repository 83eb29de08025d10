import { useAccount } from '@platen/app/session'
import type { Design } from '@platen/client'
import { Icon, useTexts } from '@platen/ui'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'

export function DesignHeader({ design }: { design: Design }) {
  const { text } = useTexts()
  const account = useAccount()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <header className="design-header">
      <Link href="/designs" className="pl-button quiet icon" aria-label={text('shop.backToDesigns')}>
        <Icon name="arrow-left" />
      </Link>
      <h1 ref={heading} tabIndex={-1}>
        {design.name}
      </h1>
      {account.kind === 'guest' ? (
        <Link href={`/sign-in?next=/designs/${design.id}`} className="pl-button">
          {text('shop.keep')}
        </Link>
      ) : null}
    </header>
  )
}
