import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const ordersPage: ConsolePage = {
  path: '/orders',
  title: 'console.orders',
  icon: 'package',
  group: 'work',
  permission: 'orders:read',
  component: part(() => import('./orders-pages.tsx'), 'OrdersPages'),
}
