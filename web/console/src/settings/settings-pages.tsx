import { MoreTexts } from '@platen/app/frame'
import { Redirect, Route, Switch } from 'wouter'
import { NotFoundPage } from '../shell/failure.tsx'
import { MethodListPage } from './shipping/method-list-page.tsx'
import { MethodPage, NewMethodPage } from './shipping/method-page.tsx'
import { TaxesPage } from './taxes/taxes-page.tsx'

/** What customers pay for shipping, and which tax. */
export function SettingsPages() {
  return (
    <MoreTexts groups={['consoleSettings']}>
      <Switch>
        <Route path="/settings">
          <Redirect to="/settings/shipping" replace />
        </Route>
        <Route path="/settings/shipping">
          <MethodListPage />
        </Route>
        <Route path="/settings/shipping/new">
          <NewMethodPage />
        </Route>
        <Route path="/settings/shipping/:methodId">
          {({ methodId }) => <MethodPage key={methodId} methodId={methodId} />}
        </Route>
        <Route path="/settings/taxes">
          <TaxesPage />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
