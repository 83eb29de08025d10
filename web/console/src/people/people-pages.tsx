import { MoreTexts } from '@platen/app/frame'
import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { FactorResetsPage } from './factor-resets/factor-resets-page.tsx'
import { InvitationsPage } from './invitations/invitations-page.tsx'
import { UserListPage } from './list/user-list-page.tsx'
import { UserPage } from './user/user-page.tsx'

/** The accounts, a page for each, the invitations, and the requests to remove lost second factors. */
export function PeoplePages({ user }: PageProps) {
  return (
    <MoreTexts groups={['account', 'consoleAudit', 'consolePeople']}>
      <Switch>
        <Route path="/people">
          <UserListPage />
        </Route>
        <Route path="/people/invitations">
          <InvitationsPage />
        </Route>
        <Route path="/people/factor-resets">
          <FactorResetsPage user={user} />
        </Route>
        <Route path="/people/:userId">{({ userId }) => <UserPage key={userId} userId={userId} viewer={user} />}</Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
