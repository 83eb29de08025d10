import { useTexts } from '@platen/ui'
import { PageViews } from '../parts/page-views.tsx'

const VIEWS = [
  { href: '/settings/shipping', title: 'consoleSettings.shippingMethods' },
  { href: '/settings/taxes', title: 'consoleSettings.taxes' },
] as const

export function SettingsViews() {
  const { text } = useTexts()
  return <PageViews label={text('console.settings')} views={VIEWS} />
}
