import { useTexts } from '@platen/ui'
import { useLocation, useSearch } from 'wouter'
import { PageViews } from '../../parts/page/page-views.tsx'

export const CATALOGUE_VIEWS = [
  { href: '/catalogue', title: 'consoleCatalogue.activeProducts' },
  { href: '/catalogue?status=archived', title: 'consoleCatalogue.archivedProducts' },
  { href: '/catalogue/templates', title: 'consoleCatalogue.templates' },
  { href: '/catalogue/color-profiles', title: 'consoleCatalogue.colorProfiles' },
] as const

/** The tables of the catalogue. */
export function CatalogueViews() {
  const { text } = useTexts()
  const [path] = useLocation()
  const isArchived = new URLSearchParams(useSearch()).get('status') === 'archived'
  const present = path === '/catalogue' && isArchived ? '/catalogue?status=archived' : path
  return <PageViews label={text('consoleCatalogue.views')} views={CATALOGUE_VIEWS} present={present} />
}
