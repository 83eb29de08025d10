import { ASSET_IDS } from '../src/assets/ids.ts'
import { AUTH_IDS } from '../src/auth/ids.ts'
import { COLOR_PROFILE_IDS } from '../src/color-profiles/ids.ts'
import { DESIGN_IDS } from '../src/designs/ids.ts'
import { FONT_IDS } from '../src/fonts/ids.ts'
import { ORDER_IDS } from '../src/orders/ids.ts'
import { defineIds } from '../src/platform/ids.ts'
import { EVENT_IDS } from '../src/platform/outbox/ids.ts'
import { PRODUCT_IDS } from '../src/products/ids.ts'
import { WEBHOOK_IDS } from '../src/webhooks/ids.ts'

/** The ids of all features. A kind or a prefix exists once. */
export const ALL_IDS = [
  AUTH_IDS,
  PRODUCT_IDS,
  ASSET_IDS,
  FONT_IDS,
  COLOR_PROFILE_IDS,
  DESIGN_IDS,
  ORDER_IDS,
  WEBHOOK_IDS,
  EVENT_IDS,
] as const

export const { newId, isId } = defineIds({
  ...AUTH_IDS,
  ...PRODUCT_IDS,
  ...ASSET_IDS,
  ...FONT_IDS,
  ...COLOR_PROFILE_IDS,
  ...DESIGN_IDS,
  ...ORDER_IDS,
  ...WEBHOOK_IDS,
  ...EVENT_IDS,
})
