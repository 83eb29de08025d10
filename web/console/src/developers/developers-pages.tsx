import { MoreTexts } from '@platen/app/frame'
import { Redirect, Route, Switch } from 'wouter'
import type { PageProps } from '../shell/console-page.ts'
import { NotFoundPage } from '../shell/failure.tsx'
import { ApiKeysPage } from './api-keys/api-keys-page.tsx'
import { EventListPage } from './events/event-list-page.tsx'
import { EventPage } from './events/event-page.tsx'
import { RequestListPage } from './requests/request-list-page.tsx'
import { RequestPage } from './requests/request-page.tsx'
import { DeliveryPage } from './webhooks/delivery-page.tsx'
import { EndpointListPage } from './webhooks/endpoint-list-page.tsx'
import { EndpointPage } from './webhooks/endpoint-page.tsx'

/** The webhook endpoints of the user with their deliveries, the logs of events and requests, and the API keys. */
export function DevelopersPages({ user }: PageProps) {
  return (
    <MoreTexts groups={['account', 'consoleDevelopers']}>
      <Switch>
        <Route path="/developers">
          <Redirect to="/developers/webhooks" replace />
        </Route>
        <Route path="/developers/webhooks">
          <EndpointListPage user={user} />
        </Route>
        <Route path="/developers/webhooks/:endpointId">
          {({ endpointId }) => <EndpointPage key={endpointId} endpointId={endpointId} user={user} />}
        </Route>
        <Route path="/developers/webhooks/:endpointId/deliveries/:deliveryId">
          {({ endpointId, deliveryId }) => (
            <DeliveryPage key={deliveryId} endpointId={endpointId} deliveryId={deliveryId} user={user} />
          )}
        </Route>
        <Route path="/developers/events">
          <EventListPage user={user} />
        </Route>
        <Route path="/developers/events/:eventId">
          {({ eventId }) => <EventPage key={eventId} eventId={eventId} />}
        </Route>
        <Route path="/developers/requests">
          <RequestListPage />
        </Route>
        <Route path="/developers/requests/:requestId">
          {({ requestId }) => <RequestPage key={requestId} requestId={requestId} />}
        </Route>
        <Route path="/developers/api-keys">
          <ApiKeysPage user={user} />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </MoreTexts>
  )
}
