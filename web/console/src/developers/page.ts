import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const developersPage: ConsolePage = {
  path: '/developers',
  title: 'console.developers',
  icon: 'link',
  group: 'administration',
  permission: 'webhooks:read',
  component: part(() => import('./developers-pages.tsx'), 'DevelopersPages'),
}
