import { defineProblems } from '../platform/problem.ts'

export const webhookProblems = defineProblems({
  // Also returned for endpoints of other accounts, so that ids cannot be probed.
  webhook_endpoint_not_found: { status: 404, title: 'Webhook endpoint not found' },
  webhook_delivery_not_found: {
    status: 404,
    title: 'Webhook delivery not found',
    help: 'Deliveries are retained for 30 days.',
  },
  webhook_url_refused: {
    status: 422,
    title: 'Webhook URL not allowed',
    help: 'The service rejects URLs that lead to private, loopback or link-local IP addresses, unless `PLATEN_WEBHOOK_ALLOWED_NETWORKS` contains them. In production, URLs must start with `https:`, except those that lead to `PLATEN_WEBHOOK_ALLOWED_NETWORKS`.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    title: 'Webhook endpoint disabled',
    help: 'The service sends no requests to a disabled endpoint. Enable the endpoint first with `PATCH { "status": "enabled" }`.',
  },
  webhook_event_expired: {
    status: 409,
    title: 'Event no longer retained',
    help: 'Events are retained for 30 days and cannot be sent after that.',
  },
  webhook_event_not_permitted: {
    status: 403,
    title: 'Event not visible to the owner of the endpoint',
    help: 'The event belongs to another account, and the owner of the endpoint is no longer an operator.',
  },
  too_many_pending_deliveries: {
    status: 409,
    title: 'Too many pending deliveries (limit 10 000)',
    help: 'Wait until the endpoint has accepted some of its pending deliveries.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    title: 'Too many webhook endpoints (limit 20 per account)',
    help: 'Delete endpoints that are no longer needed.',
  },
  replay_too_large: {
    status: 422,
    title: 'Too many events in this range (limit 10 000)',
    help: 'Use a shorter range. Replay the next range after the deliveries of the first have arrived.',
  },
})
