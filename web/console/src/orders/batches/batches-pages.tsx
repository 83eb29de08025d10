import { Route, Switch } from 'wouter'
import type { PageProps } from '../../shell/console-page.ts'
import { NotFoundPage } from '../../shell/failure.tsx'
import { BatchListPage } from './batch-list-page.tsx'
import { BatchPage } from './batch-page.tsx'

/** The production batches, and a page for each. */
export function BatchesPages({ user }: PageProps) {
  return (
    <Switch>
      <Route path="/batches">
        <BatchListPage />
      </Route>
      <Route path="/batches/:batchId">
        {({ batchId }) => <BatchPage key={batchId} batchId={batchId} user={user} />}
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}
