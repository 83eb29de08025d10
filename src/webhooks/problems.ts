import { defineProblems } from '../platform/problem.ts'

/** Every error this feature shows a client. */
export const webhookProblems = defineProblems({
  // Also the answer for another person's endpoint, so that ids cannot be probed.
  webhook_endpoint_not_found: { status: 404, title: 'No such webhook endpoint' },
  webhook_delivery_not_found: {
    status: 404,
    title: 'No such delivery',
    help: 'Deliveries are kept for 30 days.',
  },
  webhook_url_refused: {
    status: 422,
    title: 'Events cannot be sent to this address',
    help: 'Private, loopback and link-local addresses are refused, also behind a name, unless they are listed in PLATEN_WEBHOOK_ALLOWED_NETWORKS. In production other addresses must start with https:.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    title: 'The endpoint is disabled',
    help: 'Nothing is sent to it. Enable it with PATCH { "status": "enabled" } first.',
  },
  webhook_event_expired: {
    status: 409,
    title: 'The event is not kept any more',
    help: 'Events are kept for 30 days; what they told cannot be sent after that.',
  },
  webhook_event_not_permitted: {
    status: 403,
    title: 'You may not see this event any more',
    help: 'It belongs to somebody else, and you were an operator when it was delivered.',
  },
  too_many_pending_deliveries: {
    status: 409,
    title: 'The endpoint has too much to receive already',
    help: 'At 10 000 pending deliveries nothing more can be asked for. Wait until it has accepted some.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    title: 'No more webhook endpoints can be added',
    help: 'A person may have up to 20. Delete those that are no longer needed.',
  },
  replay_too_large: {
    status: 422,
    title: 'There are too many events in this range',
    help: 'A replay brings up to 10 000 events. Ask for a shorter range, and for the next one when its deliveries have arrived.',
  },
})
