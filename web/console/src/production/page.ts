import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const productionPage: ConsolePage = {
  path: '/production',
  title: 'console.production',
  icon: 'printer',
  group: 'work',
  permission: 'orders:read',
  component: part(() => import('./production-pages.tsx'), 'ProductionPages'),
}
