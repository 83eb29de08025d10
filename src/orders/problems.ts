import { defineProblems } from '../platform/problem.ts'

/** Every error this feature shows a client. The key is the wire code: stable, and searching for it finds the row, each throw and each test. */
export const orderProblems = defineProblems({
  // Also the answer for another customer's order, so that ids cannot be probed.
  order_not_found: { status: 404, title: 'No such order' },
  shipment_not_found: { status: 404, title: 'No such shipment of this order' },
  file_not_found: { status: 404, title: 'No such file of this order item' },
  order_item_not_found: { status: 404, title: 'No such item of this order' },
  item_files_not_ready: {
    status: 409,
    title: 'The files of this order item are not drawn yet',
    help: 'They hold texts of the item. `personalization` of the item says whether they are pending, or why they failed.',
  },
  item_files_not_failed: {
    status: 409,
    title: 'There is nothing to draw once more for this order item',
    help: 'Its files are there, or it has none of its own.',
  },
  order_action_refused: {
    status: 409,
    title: 'The order is in a state that does not allow this',
    help: '`orderStatus` says the state; `availableActions` of the order says what can be done in it.',
  },

  hold_answer_unfit: {
    status: 422,
    title: 'This is not what the hold asks for',
    help: '`hold.resolution` of the order says what to send.',
  },
  address_destination_changed: {
    status: 422,
    title: 'The new address is in another country or region',
    help: 'Shipping and tax were computed for the first one. Ask the shop to release the order, cancel it, and order again.',
  },

  order_number_invalid: {
    status: 400,
    title: 'This is not an order number',
    help: 'Order numbers look like `PL-7KQ4-M2XD`; the last character checks the others.',
  },

  // Items of quotes and orders; each names the item in `errors`.
  design_not_found: {
    status: 422,
    title: 'An item names a design that is not there',
    help: 'Only designs of the caller can be ordered.',
  },
  design_not_finalized: {
    status: 409,
    title: 'An item names a design that is not finalized',
    help: 'Finalize the design first: that checks it, makes its print files and locks its price.',
  },
  design_archived: { status: 409, title: 'An item names a design that is archived' },
  price_expired: {
    status: 409,
    title: 'The price of a design is no longer valid',
    help: 'Finalize the design again: that renews its price and leaves its print files as they are.',
  },
  text_too_complex: {
    status: 422,
    title: 'Text too complex to lay out',
    help: 'Laying out the texts of an item took more processor time or memory than one document may take. `errors` names the item, the layer and its font. Shorten the texts, then repeat the request.',
  },
  placeholder_missing: {
    status: 422,
    title: 'An item leaves a placeholder of its design empty',
    help: 'Give every name in `finalization.placeholders` a text in `items[].data`.',
  },
  preflight_failed: {
    status: 422,
    title: 'An item cannot be printed with its texts',
    help: 'Each member of `errors` has the code of the preflight issue and points at the text that is at fault; `layer` is the JSON Pointer of the layer in the document of the design. Shorten or change the text.',
  },
  items_too_long: {
    status: 422,
    title: 'The items together have too much text to be checked at once',
    help: 'Split the order.',
  },
  placeholder_unknown: { status: 422, title: 'An item fills a placeholder its design does not have' },
  currencies_mixed: { status: 422, title: 'The items are priced in different currencies' },
  total_too_large: { status: 422, title: 'The total is larger than this service handles' },
  shipping_method_unknown: {
    status: 422,
    title: 'There is no such shipping method',
    help: '`GET /shipping-methods` lists them.',
  },
  shipping_unavailable: {
    status: 422,
    title: 'No shipping method takes these items to this address',
    help: 'Methods have prices by destination, weight and currency; `errors` says which of them there is none for.',
  },
  address_invalid: {
    status: 422,
    title: 'The address does not look like one of its country',
    help: 'Each member of `errors` names a part of it and what is expected there.',
  },

  // What administrators set.
  shipping_method_not_found: { status: 404, title: 'There is and was no such shipping method' },
  shipping_method_exists: { status: 409, title: 'The id belongs to another shipping method' },
  shipping_method_deleted: { status: 409, title: 'The shipping method was deleted', help: 'Add another one.' },
  too_many_shipping_methods: { status: 409, title: 'There are as many shipping methods as there can be' },
  shipping_method_invalid: {
    status: 422,
    title: 'The shipping method contradicts itself',
    help: 'Each member of `errors` names one fault. A country is in one zone only, rates ascend by weight, and each has one price in a currency.',
  },
  tax_settings_invalid: {
    status: 422,
    title: 'The tax settings contradict themselves',
    help: 'Each member of `errors` names one fault. Each place has one rate; regions are subdivisions of ISO 3166-2.',
  },

  quote_not_found: { status: 422, title: 'There is no such quote' },
  quote_expired: { status: 409, title: 'The quote has expired', help: 'Ask for a new one.' },
  quote_used: {
    status: 409,
    title: 'An order was already made from this quote',
    help: '`orderId` names it. Send an `Idempotency-Key` with `POST /orders` to repeat a request safely.',
  },

  payment_amount_mismatch: { status: 422, title: 'The amount is not the total of the order' },
  payment_token_required: { status: 422, title: 'This payment provider needs a token' },
  payment_token_unknown: { status: 422, title: 'The payment provider does not know this token' },
  payment_declined: { status: 402, title: 'The payment was declined', help: 'The order can be paid again.' },
  payment_unavailable: {
    status: 503,
    title: 'The payment provider does not answer',
    help: '`detail` says whether nothing was charged, or that this is not known yet. Asking again charges once.',
  },
  // The same where Stripe is not used, so that nobody learns whether it is.
  stripe_signature_invalid: { status: 400, title: 'The body is not signed by Stripe' },
  payment_provider_missing: {
    status: 409,
    title: 'The provider through which the order was paid is not set up',
    help: 'Set it up again as it was (for Stripe the settings of its keys, whoever new payments go through), or give the money back by hand.',
  },
  payment_in_progress: {
    status: 409,
    title: 'A payment of this order is being processed',
    help: 'Read the order a little later to see how it ended.',
  },
  refund_refused: {
    status: 409,
    title: 'The payment provider refused the refund',
    help: 'Nothing was given back, and the amount can be refunded again. `failure` says why, in the terms of the provider.',
  },
  refund_amount_refused: { status: 422, title: 'The payment provider cannot move exactly this amount' },
  refund_too_large: {
    status: 422,
    title: 'The refund is larger than what is left of the payment',
    help: '`refundable` says what is left.',
  },

  shipment_item_unknown: { status: 422, title: 'The shipment names an item the order does not have' },
  shipment_item_repeated: { status: 422, title: 'The shipment names an item twice' },
  shipment_exceeds_order: { status: 422, title: 'The shipment holds more than is left to ship' },
})
