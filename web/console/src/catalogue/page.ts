import { part } from '@platen/app/frame'
import type { ConsolePage } from '../shell/console-page.ts'

export const cataloguePage: ConsolePage = {
  path: '/catalogue',
  title: 'console.catalogue',
  icon: 'grid',
  group: 'shop',
  permission: 'products:write',
  component: part(() => import('./catalogue-pages.tsx'), 'CataloguePages'),
}
