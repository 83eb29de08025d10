import { MoreTexts } from '@platen/app/frame'
import { Route, Switch } from 'wouter'
import { NotFoundPage } from '../shell/failure.tsx'
import { BoardPage } from './board/board-page.tsx'
import { StationPage } from './station/station-page.tsx'

/** The board of what is to be made, and the page of an order for the workplace. */
export function ProductionPages() {
  return (
    <MoreTexts groups={['consoleProduction']}>
      <Switch>
        <Route path="/production">
          <BoardPage />
        </Route>
        <Route path="/production/:orderId">{({ orderId }) => <StationPage key={orderId} orderId={orderId} />}</Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
