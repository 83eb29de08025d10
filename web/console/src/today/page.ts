import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const todayPage: ConsolePage = {
  path: '/today',
  title: 'console.today',
  icon: 'home',
  group: 'work',
  permission: 'orders:read',
  component: part(() => import('./today-page.tsx'), 'TodayPage'),
}
