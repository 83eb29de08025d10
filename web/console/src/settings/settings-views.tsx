import { useTexts } from '@platen/ui'
import { PageViews } from '../parts/page/page-views.tsx'

export const SETTINGS_VIEWS = [
  { href: '/settings/shop', title: 'consoleSettings.shop' },
  { href: '/settings/shipping', title: 'consoleSettings.shippingMethods' },
  { href: '/settings/taxes', title: 'consoleSettings.taxes' },
  { href: '/settings/mails', title: 'consoleSettings.mails' },
  { href: '/settings/registration', title: 'consoleSettings.registration' },
  { href: '/settings/storage', title: 'consoleSettings.storage' },
  { href: '/settings/installation', title: 'consoleSettings.installation' },
  { href: '/settings/signing-keys', title: 'consoleSettings.signingKeys' },
] as const

export function SettingsViews() {
  const { text } = useTexts()
  return <PageViews label={text('console.settings')} views={SETTINGS_VIEWS} />
}
