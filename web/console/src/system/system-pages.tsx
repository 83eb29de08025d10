import { MoreTexts } from '@platen/app/frame'
import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { AuditPage } from './audit/audit-page.tsx'
import { SystemPage } from './system-page.tsx'

/** The state of the service, its background jobs, and the audit log. */
export function SystemPages({ user }: PageProps) {
  return (
    <MoreTexts groups={['account', 'consoleAudit', 'consoleSystem']}>
      <Switch>
        <Route path="/system">
          <SystemPage user={user} />
        </Route>
        <Route path="/system/audit">
          <AuditPage user={user} />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
