import { Icon, useTexts } from '@platen/ui'
import { Link } from 'wouter'

export interface CrumbsProps {
  /** The page above the present one. */
  back: { href: string; text: string }
}

/** Leads from a page to the one above it. */
export function Crumbs({ back }: CrumbsProps) {
  const { text } = useTexts()
  return (
    <nav className="crumbs" aria-label={text('console.breadcrumbs')}>
      <Link href={back.href}>
        <Icon name="chevron-left" size={16} />
        {back.text}
      </Link>
    </nav>
  )
}
