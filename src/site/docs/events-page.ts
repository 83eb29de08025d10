import type { DocPage } from '../doc-page.ts'
import { escapeHtml } from '../html.ts'
import type { ApiDocument } from '../reference/document.ts'
import { innerHtml, schemaLink } from '../reference/schema-fields.ts'

/** When the service emits an event. An event without a text is listed without one. */
const WHEN: Readonly<Record<string, string>> = {
  'design.finalized': 'A design was finalized: its print files, its price and its receipt exist.',
  'design.archived': 'A design was archived.',
  'design.finalization_failed': 'A finalization with `Prefer: respond-async` failed.',
  'design.files_ready': 'All items of an order with texts of their own have print files.',
  'design.files_failed': 'Drawing the print files of one or more order items failed for good.',
  'order.created': 'An order was created and awaits its payment.',
  'order.confirmed': 'An order is paid, or its payment was recorded.',
  'order.on_hold': 'Work on an order stopped until its hold is resolved.',
  'order.released': 'A hold ended.',
  'order.in_production': 'The shop began to make an order.',
  'order.partially_shipped': 'The first of several parcels was shipped.',
  'order.shipped': 'All items of an order were shipped.',
  'order.delivered': 'All parcels of an order arrived.',
  'order.cancelled': 'An order was cancelled.',
  'order.address_changed': 'The postal address of an order was corrected before it shipped.',
  'payment.captured': 'The amount of an order was captured.',
  'payment.failed': 'A payment failed. The customer can try again.',
  'payment.refunded': 'An amount was refunded.',
  'shipment.created': 'A parcel was shipped.',
  'shipment.updated': 'The carrier or the tracking of a parcel was added or corrected.',
  'shipment.delivered': 'A parcel arrived.',
  'shipment.returned': 'A parcel came back.',
}

/** An event whose record is shortened. */
const EXAMPLE = `{
  "id": "evt_01kjpz4d8gfqcbsrmhxw900003",
  "type": "order.shipped",
  "createdAt": "2026-03-02T09:00:00.000Z",
  "sequence": 5,
  "subject": "ord_01kjpz4d8gfqcbsrmhxw900001",
  "data": {
    "id": "ord_01kjpz4d8gfqcbsrmhxw900001",
    "customerId": "cus_01kjpz4d8gfqcbsrmhxw900001",
    "status": "shipped",
    ...
  }
}`

/** Lists the types of events with the schema of `data`, from the OpenAPI document. */
export function eventsPage({ components }: ApiDocument): DocPage {
  const envelope = components.schemas?.['OrderEvent'] ?? {}
  const types = (components.schemas?.['EventType']?.enum ?? []).map(String)
  const rows = types.map((type) => {
    const text = escapeHtml(WHEN[type] ?? '').replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    return `<dt id="${type}"><code>${type}</code></dt><dd><p>${text}</p><p class="type">data: ${schemaLink(payloadOf(type))}</p></dd>`
  })
  const main = `<h1>Events</h1>
<p>Clients read events with <a href="/docs/reference/events#listEvents">GET /v1/events</a>, follow them with
<a href="/docs/reference/events#streamEvents">GET /v1/events/stream</a>, or receive them by
<a href="/docs/webhooks">webhook</a>. The bodies are the same:</p>
<pre tabindex="0"><code>${escapeHtml(EXAMPLE)}</code></pre>
${innerHtml(envelope)}
<section aria-labelledby="types"><h2 id="types">Types</h2><dl class="fields">${rows.join('')}</dl></section>
<section aria-labelledby="erased"><h2 id="erased">Erased records</h2>
<p>After the account of an owner was erased, <code>data</code> of events of its designs is
<code>{ id, erased: true }</code>.</p></section>`
  const sections = types.map((type) => ({ anchor: type, title: type, words: WHEN[type] ?? '' }))
  return { path: '/docs/events', title: 'Events', group: 'Rules', main, words: 'event catalogue types', sections }
}

/** The record in `data`: the design for events of designs, the order for all others. */
function payloadOf(type: string): string {
  return type.startsWith('design.') && !type.startsWith('design.files_') ? 'Design' : 'Order'
}
