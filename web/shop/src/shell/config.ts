const contentOf = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''

/** Name of the shop: `PLATEN_SHOP_NAME`. */
export const shopName = contentOf('platen-shop-name')

/** Whether mails can be read at `/dev/outbox/mails`, because the service is not in production. */
export const hasOutbox = contentOf('platen-outbox') === 'yes'

/** Takes the payments of customers: `PLATEN_PAYMENT_PROVIDER`. With `manual`, the shop records them. */
export const paymentProvider = contentOf('platen-payment-provider')

/** Colours of the shop, separated by commas: `PLATEN_SHOP_PALETTE`. */
export const palette = contentOf('platen-palette')

export interface SignInSettings {
  /** The configured providers, such as Google. `name` is part of the URLs of the API. */
  providers: readonly { name: string; title: string }[]
  /** Whether the service can send text messages. */
  hasSms: boolean
  passwordMinLength: number
}

/** How customers can sign in to this installation. */
export const signInSettings = JSON.parse(contentOf('platen-sign-in')) as SignInSettings

interface Chrome {
  logo?: { url: string; width: number; height: number }
  /** Links of the footer by language. */
  links: Readonly<Record<string, readonly { label: string; url: string }[]>>
}

/** The logo of the header, and the links of the footer. */
export const chrome = JSON.parse(contentOf('platen-chrome')) as Chrome
