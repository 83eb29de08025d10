import { useTexts } from '@platen/ui'
import { PageViews } from '../parts/page/page-views.tsx'

export const DEVELOPERS_VIEWS = [
  { href: '/developers/webhooks', title: 'consoleDevelopers.webhooks' },
  { href: '/developers/events', title: 'consoleDevelopers.eventLog' },
  { href: '/developers/requests', title: 'consoleDevelopers.requests' },
  { href: '/developers/api-keys', title: 'consoleDevelopers.apiKeys' },
] as const

/** The ways to the parts of the page. */
export function DevelopersViews() {
  const { text } = useTexts()
  return <PageViews label={text('consoleDevelopers.views')} views={DEVELOPERS_VIEWS} />
}
