import { part } from '@platen/app/frame'
import type { ConsolePage } from '../../shell/console-page.ts'

export const batchesPage: ConsolePage = {
  path: '/batches',
  title: 'console.batches',
  icon: 'layers',
  group: 'work',
  permission: 'orders:read',
  component: part(() => import('./batches-pages.tsx'), 'BatchesPages'),
}
