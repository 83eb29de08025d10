import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const peoplePage: ConsolePage = {
  path: '/people',
  title: 'console.people',
  icon: 'key',
  group: 'administration',
  permission: 'users:read',
  component: part(() => import('./people-pages.tsx'), 'PeoplePages'),
}
