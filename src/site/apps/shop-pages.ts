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
  '/register',
  '/forgot-password',
  '/account',
  '/account/security',
] as const
