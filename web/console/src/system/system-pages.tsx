import { MoreTexts } from '@platen/app/frame'
import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { SystemPage } from './system-page.tsx'

/** The state of the service and its background jobs. */
export function SystemPages({ user }: PageProps) {
  return (
    <MoreTexts groups={['consoleSystem']}>
      <Switch>
        <Route path="/system">
          <SystemPage user={user} />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
