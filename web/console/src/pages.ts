import { cataloguePage } from './catalogue/page.ts'
import { customersPage } from './customers/page.ts'
import { developersPage } from './developers/page.ts'
import { batchesPage } from './orders/batches/page.ts'
import { ordersPage } from './orders/page.ts'
import { peoplePage } from './people/page.ts'
import { productionPage } from './production/page.ts'
import { settingsPage } from './settings/page.ts'
import type { ConsolePage } from './shell/console-page.ts'
import { systemPage } from './system/page.ts'
import { todayPage } from './today/page.ts'

/** All pages, in the order of the navigation. */
export const PAGES: readonly ConsolePage[] = [
  todayPage,
  productionPage,
  ordersPage,
  batchesPage,
  customersPage,
  cataloguePage,
  peoplePage,
  settingsPage,
  developersPage,
  systemPage,
]
