const contentOf = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''

/** Name of the shop: `PLATEN_SHOP_NAME`. */
export const shopName = contentOf('platen-shop-name')

/** Whether mails can be read at `/dev/outbox`, because the service is not in production. */
export const hasOutbox = contentOf('platen-outbox') === 'yes'

/** Takes the payments of customers: `PLATEN_PAYMENT_PROVIDER`. With `manual`, the shop records them. */
export const paymentProvider = contentOf('platen-payment-provider')
