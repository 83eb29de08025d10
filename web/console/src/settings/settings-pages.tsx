import { MoreTexts } from '@platen/app/frame'
import { Redirect, Route, Switch } from 'wouter'
import { NotFoundPage } from '../shell/failure.tsx'
import { InstallationPage } from './installation/installation-page.tsx'
import { MailListPage } from './mails/mail-list-page.tsx'
import { MailPage } from './mails/mail-page.tsx'
import { RegistrationPage } from './registration/registration-page.tsx'
import { MethodListPage } from './shipping/method-list-page.tsx'
import { MethodPage, NewMethodPage } from './shipping/method-page.tsx'
import { ShopPage } from './shop/shop-page.tsx'
import { SigningKeysPage } from './signing-keys/signing-keys-page.tsx'
import { StoragePage } from './storage/storage-page.tsx'
import { TaxesPage } from './taxes/taxes-page.tsx'

/** How the shop appears, what customers pay for shipping, and which tax. */
export function SettingsPages() {
  return (
    <MoreTexts groups={['consoleHistory', 'consoleSettings']}>
      <Switch>
        <Route path="/settings">
          <Redirect to="/settings/shop" replace />
        </Route>
        <Route path="/settings/shop">
          <ShopPage />
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
        <Route path="/settings/mails">
          <MailListPage />
        </Route>
        <Route path="/settings/mails/:kind">{({ kind }) => <MailPage key={kind} kind={kind} />}</Route>
        <Route path="/settings/registration">
          <RegistrationPage />
        </Route>
        <Route path="/settings/storage">
          <StoragePage />
        </Route>
        <Route path="/settings/installation">
          <InstallationPage />
        </Route>
        <Route path="/settings/signing-keys">
          <SigningKeysPage />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
