import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { CustomerListPage } from './customer-list-page.tsx'
import { CustomerPage } from './customer-page.tsx'

/** The customers, and a page for each with its orders. */
export function CustomersPages({ user }: PageProps) {
  return (
    <Switch>
      <Route path="/customers">
        <CustomerListPage user={user} />
      </Route>
      <Route path="/customers/:customerId">
        {({ customerId }) => <CustomerPage key={customerId} customerId={customerId} user={user} />}
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}
