import { Route, Switch } from 'wouter'
import { NotFoundPage } from '../shell/failure.tsx'
import { OrderListPage } from './list/order-list-page.tsx'

/** The table of orders. */
export function OrdersPages() {
  return (
    <Switch>
      <Route path="/orders">
        <OrderListPage />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}
