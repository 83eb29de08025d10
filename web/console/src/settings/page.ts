import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const settingsPage: ConsolePage = {
  path: '/settings',
  title: 'console.settings',
  icon: 'settings',
  group: 'administration',
  permission: 'products:write',
  component: part(() => import('./settings-pages.tsx'), 'SettingsPages'),
}
