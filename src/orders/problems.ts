import { Type } from 'typebox'
import { PREFLIGHT_ERRORS } from '../designs/index.ts'
import { defineProblems } from '../platform/problem.ts'
import { storageProblems } from '../platform/storage/index.ts'

/**
 * Every error that this feature shows to a client. The key is the wire code, which never changes. A search for it finds
 * this entry, each throw and each test.
 */
export const orderProblems = defineProblems({
  // The service also responds with this problem for the order of another customer, so that clients cannot find out
  // which orders exist.
  order_not_found: {
    status: 404,
    title: 'Order not found',
    help: 'The caller has no order with this id. `GET /orders` lists the orders that the caller can read. Operators read all orders, but pay only those of their own account, or those of the customer that `Platen-Customer` names.',
  },
  shipment_not_found: {
    status: 404,
    title: 'Shipment not found in this order',
    help: '`shipments` of the order lists the ids.',
  },
  file_not_found: {
    status: 404,
    title: 'File of the order item not found',
    help: '`personalization.files` of the item, or `finalization.files` of its design, lists the file ids.',
  },
  email_required: {
    status: 422,
    title: 'Order of a guest needs an email address',
    help: 'Guests have no account with an email address. Send `shippingAddress.email` with the order or with its quote.',
  },
  order_item_not_found: { status: 404, title: 'Order item not found', help: '`items` of the order lists the ids.' },
  item_files_not_ready: {
    status: 409,
    title: 'Print files of the order item not ready',
    members: { personalizationStatus: Type.String() },
    help: 'If `personalization.status` of the item is `pending`, wait: read the order every few seconds until the status is `ready`. The service renders some files of unpaid orders only after payment. If the status is `failed`, an operator must retry the files.',
  },
  item_files_not_failed: {
    status: 409,
    title: 'No failed print files to retry for this order item',
    help: 'The print files of the item are ready or pending, or the item uses those of its design.',
  },
  order_action_refused: {
    status: 409,
    title: 'Action not allowed in the current state of the order',
    members: { orderStatus: Type.String(), shipmentStatus: Type.Optional(Type.String()) },
    help: '`orderStatus` states the status; `availableActions` of the order lists the actions that it allows.',
  },

  hold_answer_unfit: {
    status: 422,
    title: 'Request does not contain what the hold asks for',
    help: '`hold.resolution` of the order states what to send.',
  },
  address_destination_changed: {
    status: 422,
    title: 'New postal address is in another country or region',
    help: 'Shipping and tax were calculated for the old destination. Ask the shop to release the order. Then cancel it and order again.',
  },

  too_many_order_notes: {
    status: 409,
    title: 'Too many notes on this order (limit 100)',
    help: 'Authors can delete their notes with `DELETE /orders/{orderId}/notes/{noteId}`.',
  },
  order_note_not_found: {
    status: 404,
    title: 'Note not found on this order',
    help: '`notes` of the order lists the ids.',
  },
  order_note_of_another_author: {
    status: 403,
    title: 'Note of another author',
    help: 'Only the user who wrote a note can delete it.',
  },

  order_number_invalid: {
    status: 400,
    title: 'Invalid order number',
    help: 'Order numbers have the form `PL-7KQ4-M2XD`; the last character is a check character.',
  },

  // Problems of items in quotes and orders. `errors` names the items.
  design_not_found: {
    status: 422,
    title: 'Design of an item not found',
    ofAccount: true,
    help: 'An item can name only designs of the caller. `errors` names the item. Operators who act for a customer send `Platen-Customer`.',
  },
  design_not_finalized: {
    status: 409,
    title: 'Design of an item not finalized',
    help: 'Finalize the design first. This checks the design, creates its print files and locks its price.',
  },
  design_archived: {
    status: 409,
    title: 'Design of an item archived',
    help: 'Duplicate the design, finalize the copy, and order the copy.',
  },
  price_expired: {
    status: 409,
    title: 'Price lock of a design expired',
    help: 'Finalize the design again. This renews the price and leaves the print files unchanged.',
  },
  text_too_complex: {
    status: 422,
    title: 'Text too complex to lay out',
    help: 'The layout of the texts of an item exceeded the processor time or memory that one document may use. `errors` names the item, the layer and its font. Shorten the texts, then repeat the request.',
  },
  placeholder_missing: {
    status: 422,
    title: 'Missing text for a placeholder of the design',
    help: 'Send a text in `items[].data` for every name in `finalization.placeholders`.',
  },
  preflight_failed: {
    status: 422,
    title: 'Texts of an item failed preflight',
    statesErrors: true,
    members: { errors: PREFLIGHT_ERRORS },
    help: 'Each member of `errors` has the code of a preflight issue and points at the text at fault. `layer` is the JSON Pointer of the layer in the document of the design. Shorten or change the text.',
  },
  items_too_long: {
    status: 422,
    title: 'Too much text in the items of one request',
    help: 'Split the items into several orders.',
  },
  placeholder_unknown: {
    status: 422,
    title: 'Text for a placeholder that the design does not have',
    help: '`finalization.placeholders` of the design lists the names.',
  },
  currencies_mixed: {
    status: 422,
    title: 'Items are priced in different currencies',
    help: 'Order the items of each currency separately.',
  },
  agreed_price_needs_customer: {
    status: 422,
    title: 'Agreed price without a customer',
    help: 'Operators agree on prices with customers, not for orders of their own account. Send `Platen-Customer`.',
  },
  total_too_large: {
    status: 422,
    title: 'Order total too large',
    help: 'Reduce the quantities, or split the items into several orders.',
  },
  shipping_method_unknown: {
    status: 422,
    title: 'Shipping method not available',
    help: '`GET /shipping-methods` lists the methods.',
  },
  shipping_unavailable: {
    status: 422,
    title: 'No shipping method for these items and this destination',
    help: 'Prices of shipping methods depend on destination, weight and currency. `errors` states for which of these three no method has a price.',
  },
  address_invalid: {
    status: 422,
    title: 'Invalid postal address',
    help: 'Each member of `errors` names one part of the postal address and what its country requires there.',
  },

  // Problems of the shop settings: shipping methods and tax.
  shipping_method_not_found: { status: 404, title: 'Shipping method not found' },
  shipping_method_exists: {
    status: 409,
    title: 'Shipping method id already in use',
    help: 'Choose another id. The id of a deleted method stays reserved.',
  },
  shipping_method_deleted: { status: 409, title: 'Shipping method deleted', help: 'Add a new shipping method.' },
  too_many_shipping_methods: {
    status: 409,
    title: 'Too many shipping methods (limit 100)',
    help: 'Delete a method that is no longer needed.',
  },
  shipping_method_invalid: {
    status: 422,
    title: 'Inconsistent shipping method',
    help: 'Each member of `errors` names one fault. A country belongs to one zone only, rates ascend by weight, and each rate has one price per currency.',
  },
  tax_settings_invalid: {
    status: 422,
    title: 'Inconsistent tax settings',
    help: 'Each member of `errors` names one fault. Each country or region has one rate; regions are subdivisions of ISO 3166-2.',
  },

  quote_not_found: {
    status: 422,
    title: 'Quote not found',
    ofAccount: true,
    help: 'Create a quote with `POST /quotes`. Operators who act for a customer send `Platen-Customer`.',
  },
  quote_expired: { status: 409, title: 'Quote expired', help: 'Create a new quote.' },
  quote_used: {
    status: 409,
    title: 'Quote already used',
    members: { orderId: Type.String({ description: 'Id of the order from the quote.' }) },
    help: '`orderId` names the order that was created from the quote. To repeat a request safely, send an `Idempotency-Key` with `POST /orders`.',
  },

  payment_amount_mismatch: {
    status: 422,
    title: 'Amount differs from the order total',
    help: 'Send `amounts.total` of the order.',
  },
  payment_token_required: {
    status: 422,
    title: 'Payment token required',
    help: 'Send the `token` that the payment provider gave to the client. Only Stripe has a page for payments without one.',
  },
  payment_token_unknown: {
    status: 422,
    title: 'Payment token not known to the payment provider',
    help: 'Get a new token from the payment provider.',
  },
  payment_declined: {
    status: 402,
    title: 'Payment declined',
    members: { reason: Type.String({ description: 'Later versions may add reasons.' }) },
    help: 'Ask the customer for another means of payment, then pay the order again.',
  },
  payment_unavailable: {
    status: 503,
    title: 'Payment provider not responding',
    help: '`detail` states whether nothing was charged or the result is not known yet. Repeat the request with the same token; the service charges only once.',
  },
  payment_provider_missing: {
    status: 409,
    title: 'Payment provider of this order is not configured',
    help: 'A payment is refunded through the provider that took it. Configure this provider again (for Stripe: set its keys), even if another provider takes new payments. Alternatively, refund the payment by hand at the provider.',
  },
  payment_in_progress: {
    status: 409,
    title: 'Payment in progress',
    help: 'Read the order again after a few seconds to see the result.',
  },
  refund_refused: {
    status: 409,
    title: 'Refund refused by the payment provider',
    members: { failure: Type.Optional(Type.String({ description: 'The reason in the terms of the provider.' })) },
    help: 'No money was returned, and the amount can be refunded again. `failure` is the reason in the terms of the provider.',
  },
  refund_amount_refused: {
    status: 422,
    title: 'Amount not supported by the payment provider',
    help: 'Choose an amount that the provider can transfer exactly.',
  },
  refund_too_large: {
    status: 422,
    title: 'Refund exceeds the refundable amount',
    members: { refundable: Type.Object({ amount: Type.Integer(), currency: Type.String() }) },
    help: '`refundable` states the remaining amount.',
  },

  shipment_item_unknown: {
    status: 422,
    title: 'Item of the shipment not found in the order',
    help: '`items` of the order lists the ids.',
  },
  shipment_item_repeated: {
    status: 422,
    title: 'Duplicate item in the shipment',
    help: 'Name each item once, with its quantity.',
  },
  shipment_exceeds_order: {
    status: 422,
    title: 'Shipment exceeds the unshipped quantity',
    help: 'Reduce the quantity, or leave `items` out to ship all unshipped items.',
  },
  shipment_time_invalid: {
    status: 422,
    title: 'Time of the shipment before the order or in the future',
    statesErrors: true,
    help: 'Send the time at which the parcel was handed to the carrier, or leave `shippedAt` out.',
  },
  shipment_file_invalid: {
    status: 422,
    title: 'File with shipments cannot be read',
    statesErrors: true,
    help: 'Send a CSV file with a header that names the columns `order` and `carrier`, and at most 1000 lines below it.',
  },
})

/** Problems of reading quotes. A request that names a quote in its body gets 422. */
export const quoteProblems = defineProblems({
  quote_not_found: {
    status: 404,
    title: 'Quote not found',
    ofAccount: true,
    help: 'Create a quote with `POST /quotes`. Operators who act for a customer send `Platen-Customer`.',
  },
})

/** The problems of the items, the shipping and the postal address of a quote or an order. */
export const CHECKOUT_PROBLEMS = [
  orderProblems.design_not_found,
  orderProblems.design_not_finalized,
  orderProblems.design_archived,
  orderProblems.price_expired,
  orderProblems.text_too_complex,
  orderProblems.placeholder_missing,
  orderProblems.placeholder_unknown,
  orderProblems.preflight_failed,
  orderProblems.items_too_long,
  orderProblems.currencies_mixed,
  orderProblems.agreed_price_needs_customer,
  orderProblems.total_too_large,
  orderProblems.shipping_method_unknown,
  orderProblems.shipping_unavailable,
  orderProblems.address_invalid,
  storageProblems.storage_quota_exceeded,
]
