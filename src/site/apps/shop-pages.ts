/** The URL paths that the shop in the browser shows. The service answers each of them with the same HTML. */
export const SHOP_PAGES = [
  '/',
  '/products/:productId',
  '/designs',
  '/designs/:designId',
  '/designs/:designId/finished',
  '/sign-in',
  '/register',
  '/forgot-password',
  '/account',
] as const
