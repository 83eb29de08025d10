import { metaContent } from '@platen/app/frame'

/** Takes the payments of customers: `PLATEN_PAYMENT_PROVIDER`. With `manual`, the shop records them. */
export const paymentProvider = metaContent('platen-payment-provider')

/** Colours of the shop, separated by commas: `PLATEN_SHOP_PALETTE`. */
export const palette = metaContent('platen-palette')

interface Chrome {
  logo?: { url: string; width: number; height: number }
  /** Links of the footer by language. */
  links: Readonly<Record<string, readonly { label: string; url: string }[]>>
}

/** The logo of the header, and the links of the footer. */
export const chrome = JSON.parse(metaContent('platen-chrome')) as Chrome
