import { lazy } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { CataloguePage } from './catalogue/catalogue-page.tsx'
import { NotFoundPage } from './shell/failures/failure.tsx'
import { Shell } from './shell/shell.tsx'

// A visitor sees the catalogue first, so the other pages are loaded later.
const ProductPage = lazy(async () => ({ default: (await import('./catalogue/product-page.tsx')).ProductPage }))
const DesignsPage = lazy(async () => ({ default: (await import('./designs/list/designs-page.tsx')).DesignsPage }))
const DesignPage = lazy(async () => ({ default: (await import('./designs/design-page.tsx')).DesignPage }))
const FinishedPage = lazy(async () => ({ default: (await import('./designs/finished-page.tsx')).FinishedPage }))
const CartPage = lazy(async () => ({ default: (await import('./cart/cart-page.tsx')).CartPage }))
const CheckoutPage = lazy(async () => ({ default: (await import('./checkout/checkout-page.tsx')).CheckoutPage }))
const OrdersPage = lazy(async () => ({ default: (await import('./orders/orders-page.tsx')).OrdersPage }))
const OrderPage = lazy(async () => ({ default: (await import('./orders/order-page.tsx')).OrderPage }))
const PayPage = lazy(async () => ({ default: (await import('./orders/pay-page.tsx')).PayPage }))
const SignInPage = lazy(async () => ({ default: (await import('./account/sign-in-page.tsx')).SignInPage }))
const RegisterPage = lazy(async () => ({ default: (await import('./account/register-page.tsx')).RegisterPage }))
const ForgotPage = lazy(async () => ({ default: (await import('./account/forgot-page.tsx')).ForgotPage }))
const AccountPage = lazy(async () => ({ default: (await import('./account/account-page.tsx')).AccountPage }))
const ProviderPage = lazy(async () => ({
  default: (await import('./account/providers/provider-page.tsx')).ProviderPage,
}))
const mailLinks = () => import('./account/mail-links/mail-link-pages.tsx')
const VerifyEmailPage = lazy(async () => ({ default: (await mailLinks()).VerifyEmailPage }))
const ResetPasswordPage = lazy(async () => ({ default: (await mailLinks()).ResetPasswordPage }))
const ConfirmEmailPage = lazy(async () => ({ default: (await mailLinks()).ConfirmEmailPage }))

const EDITOR = /^\/designs\/[^/]+$/

/** The pages by their URL paths, which the service knows too (`shop-pages.ts`). */
export function Pages() {
  const [path] = useLocation()
  return (
    <Shell isBare={EDITOR.test(path)}>
      <Switch>
        <Route path="/" component={CataloguePage} />
        <Route path="/products/:productId">
          {({ productId }) => <ProductPage key={productId} productId={productId} />}
        </Route>
        <Route path="/designs" component={DesignsPage} />
        <Route path="/designs/:designId">{({ designId }) => <DesignPage key={designId} designId={designId} />}</Route>
        <Route path="/designs/:designId/finished">
          {({ designId }) => <FinishedPage key={designId} designId={designId} />}
        </Route>
        <Route path="/cart" component={CartPage} />
        <Route path="/checkout" component={CheckoutPage} />
        <Route path="/orders" component={OrdersPage} />
        <Route path="/orders/:orderId">{({ orderId }) => <OrderPage key={orderId} orderId={orderId} />}</Route>
        <Route path="/orders/:orderId/pay">{({ orderId }) => <PayPage key={orderId} orderId={orderId} />}</Route>
        <Route path="/sign-in" component={SignInPage} />
        <Route path="/sign-in/provider" component={ProviderPage} />
        <Route path="/register" component={RegisterPage} />
        <Route path="/forgot-password" component={ForgotPage} />
        <Route path="/account/*?" component={AccountPage} />
        <Route path="/verify-email" component={VerifyEmailPage} />
        <Route path="/reset-password" component={ResetPasswordPage} />
        <Route path="/confirm-email" component={ConfirmEmailPage} />
        <Route component={NotFoundPage} />
      </Switch>
    </Shell>
  )
}
