import { MoreTexts } from '@platen/app/frame'
import { Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { BoardPage } from './board/board-page.tsx'
import { StationPage } from './station/station-page.tsx'

/** The board of what is to be made, and the page of an order for the workplace. */
export function ProductionPages({ user }: PageProps) {
  return (
    <MoreTexts groups={['consoleProduction']}>
      <Switch>
        <Route path="/production">
          <BoardPage user={user} />
        </Route>
        <Route path="/production/:orderId">
          {({ orderId }) => <StationPage key={orderId} orderId={orderId} user={user} />}
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
