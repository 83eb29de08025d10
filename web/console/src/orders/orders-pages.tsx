import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { OrderListPage } from './list/order-list-page.tsx'
import { NewOrderPage } from './new/new-order-page.tsx'
import { OrderPage } from './order/order-page.tsx'

/** The table of orders, and a page for each. */
export function OrdersPages({ user }: PageProps) {
  return (
    <Switch>
      <Route path="/orders">
        <OrderListPage user={user} />
      </Route>
      <Route path="/orders/new">
        <NewOrderPage user={user} />
      </Route>
      <Route path="/orders/:orderId">
        {({ orderId }) => <OrderPage key={orderId} orderId={orderId} user={user} />}
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}
