import { part } from '@platen/app/frame'
import type { ComponentType } from 'react'
import { matchRoute, Route, Switch, useLocation, useRouter } from 'wouter'
import { CataloguePage } from './catalogue/catalogue-page.tsx'
import { NotFoundPage } from './shell/failures/failure.tsx'
import { Shell } from './shell/shell.tsx'

interface Params {
  productId: string
  designId: string
  orderId: string
}

type Page = ComponentType<Params> & { preload?(): Promise<void> }

const mailLinks = () => import('./account/mail-links/mail-link-pages.tsx')

/**
 * The pages by their URL paths, which the service knows too (`shop-pages.ts`). A visitor sees the catalogue first, so
 * the other pages are loaded later.
 */
const PAGES: Readonly<Record<string, Page>> = {
  '/': CataloguePage,
  '/products/:productId': part(() => import('./catalogue/product-page.tsx'), 'ProductPage'),
  '/designs': part(() => import('./designs/list/designs-page.tsx'), 'DesignsPage'),
  '/designs/:designId': part(() => import('./designs/design-page.tsx'), 'DesignPage'),
  '/designs/:designId/finished': part(() => import('./designs/finished-page.tsx'), 'FinishedPage'),
  '/cart': part(() => import('./cart/cart-page.tsx'), 'CartPage'),
  '/checkout': part(() => import('./checkout/checkout-page.tsx'), 'CheckoutPage'),
  '/orders': part(() => import('./orders/orders-page.tsx'), 'OrdersPage'),
  '/orders/:orderId': part(() => import('./orders/order-page.tsx'), 'OrderPage'),
  '/orders/:orderId/pay': part(() => import('./orders/pay-page.tsx'), 'PayPage'),
  '/sign-in': part(() => import('./account/sign-in-page.tsx'), 'SignInPage'),
  '/sign-in/provider': part(() => import('./account/providers/provider-page.tsx'), 'ProviderPage'),
  '/register': part(() => import('./account/register-page.tsx'), 'RegisterPage'),
  '/forgot-password': part(() => import('./account/forgot-page.tsx'), 'ForgotPage'),
  '/account/*?': part(() => import('./account/account-page.tsx'), 'AccountPage'),
  '/verify-email': part(mailLinks, 'VerifyEmailPage'),
  '/reset-password': part(mailLinks, 'ResetPasswordPage'),
  '/confirm-email': part(mailLinks, 'ConfirmEmailPage'),
  '/stop-factor-reset': part(mailLinks, 'StopFactorResetPage'),
  '/accept-invitation': part(() => import('./account/mail-links/invitation-page.tsx'), 'InvitationPage'),
}

/** Returns the page of the present URL. */
export function usePage(): Page | undefined {
  const { parser } = useRouter()
  const [path] = useLocation()
  return Object.entries(PAGES).find(([pattern]) => matchRoute(parser, pattern, path)[0])?.[1]
}

const EDITOR = /^\/designs\/[^/]+$/

export function Pages() {
  const [path] = useLocation()
  return (
    <Shell isBare={EDITOR.test(path)}>
      <Switch>
        {Object.entries(PAGES).map(([pattern, Page]) => (
          <Route key={pattern} path={pattern}>
            {(params) => {
              const { productId, designId, orderId } = params as unknown as Params
              return <Page key={productId ?? designId ?? orderId} {...{ productId, designId, orderId }} />
            }}
          </Route>
        ))}
        <Route component={NotFoundPage} />
      </Switch>
    </Shell>
  )
}
