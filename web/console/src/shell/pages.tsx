import type { OwnUser } from '@platen/client'
import { Redirect, Route, Switch } from 'wouter'
import { mayUse } from '../access/may-use.ts'
import { PAGES } from '../pages.ts'
import type { ConsolePage } from './console-page.ts'
import { NotAllowedPage, NotFoundPage } from './failure.tsx'

/** Returns the pages that a user may use. */
export const pagesOf = (user: OwnUser): readonly ConsolePage[] =>
  PAGES.filter(({ permission }) => mayUse(user, permission))

/** Shows the page of the present URL. */
export function Pages({ user }: { user: OwnUser }) {
  const [first] = pagesOf(user)
  return (
    <Switch>
      {PAGES.map((page) => (
        <Route key={page.path} path={`${page.path}/*?`}>
          {mayUse(user, page.permission) ? <page.component key={user.id} user={user} /> : <NotAllowedPage />}
        </Route>
      ))}
      <Route path="/">{first === undefined ? <NotAllowedPage /> : <Redirect to={first.path} replace />}</Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}
