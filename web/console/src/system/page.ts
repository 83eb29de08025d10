import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const systemPage: ConsolePage = {
  path: '/system',
  title: 'console.system',
  icon: 'device',
  group: 'administration',
  permission: 'system:read',
  component: part(() => import('./system-pages.tsx'), 'SystemPages'),
}
