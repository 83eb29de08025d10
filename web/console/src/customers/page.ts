import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const customersPage: ConsolePage = {
  path: '/customers',
  title: 'console.customers',
  icon: 'user',
  group: 'work',
  permission: 'customers:read',
  component: part(() => import('./customers-pages.tsx'), 'CustomersPages'),
}
