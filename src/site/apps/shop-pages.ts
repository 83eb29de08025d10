/** The URL paths of the shop beside the catalogue and the products. Only the browser knows what they show. */
export const SHOP_PAGES = [
  '/designs',
  '/designs/:designId',
  '/designs/:designId/finished',
  '/cart',
  '/checkout',
  '/orders',
  '/orders/:orderId',
  '/orders/:orderId/pay',
  '/sign-in',
  '/sign-in/provider',
  '/register',
  '/forgot-password',
  '/account',
  '/account/security',
  '/account/devices',
  '/account/activity',
  '/account/api-keys',
  '/account/data',
] as const

/** The pages to which links in mails lead. Their URLs contain a token, so no browser stores the response. */
export const MAIL_LINK_PAGES = [
  '/verify-email',
  '/reset-password',
  '/confirm-email',
  '/accept-invitation',
  '/stop-factor-reset',
] as const
