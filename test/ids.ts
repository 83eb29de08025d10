import { prefixes as assets } from '../src/assets/ids.ts'
import { prefixes as auth } from '../src/auth/ids.ts'
import { prefixes as changeRecords } from '../src/change-records/ids.ts'
import { prefixes as colorProfiles } from '../src/color-profiles/ids.ts'
import { prefixes as designs } from '../src/designs/ids.ts'
import { prefixes as fonts } from '../src/fonts/ids.ts'
import { prefixes as orders } from '../src/orders/ids.ts'
import { defineIds } from '../src/platform/ids.ts'
import { prefixes as events } from '../src/platform/outbox/ids.ts'
import { prefixes as products } from '../src/products/ids.ts'
import { prefixes as templates } from '../src/templates/ids.ts'
import { prefixes as webhooks } from '../src/webhooks/ids.ts'

/** The prefixes of ids of all features. */
export const ALL_PREFIXES = [
  auth,
  changeRecords,
  products,
  assets,
  fonts,
  colorProfiles,
  templates,
  designs,
  orders,
  webhooks,
  events,
] as const

export const { newId, isId } = defineIds({
  ...auth,
  ...changeRecords,
  ...products,
  ...assets,
  ...fonts,
  ...colorProfiles,
  ...templates,
  ...designs,
  ...orders,
  ...webhooks,
  ...events,
})
