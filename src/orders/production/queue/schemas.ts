import { type Static, Type } from 'typebox'
import { searchWords } from '../../../platform/http/input/text.ts'
import { PageQuery } from '../../../platform/http/responses/pagination.ts'
import { ExternalReferenceFilter } from '../../../platform/records/external-reference.ts'
import { METADATA_PARAMETERS } from '../../../platform/records/metadata-filter.ts'
import { OrderListView } from '../../order/bodies/schemas.ts'
import { countryCode } from '../../order/countries.ts'
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../order/state.ts'

const oneOf = <const Values extends readonly string[]>(values: Values, description: string) =>
  Type.Optional(Type.Unsafe<Values[number]>({ type: 'string', enum: values, description }))

const PAYMENT_STATUS = `(?:${PAYMENT_STATUSES.join('|')})`
const STATUS = `(?:${ORDER_STATUSES.join('|')})`

const statuses = (byDefault: string) =>
  Type.Optional(
    Type.String({
      pattern: `^${STATUS}(?:,${STATUS})*$`,
      maxLength: 200,
      description: `One or more of ${ORDER_STATUSES.join(', ')}, separated by commas. Default: ${byDefault}`,
    }),
  )

export const QueueSelection = {
  status: statuses(
    'the statuses to be produced or shipped; with `number`, `externalReference`, `q` or `disputed`, all.',
  ),
  number: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'Number of one order, in any status. Lower case and missing dashes are accepted.',
    }),
  ),
  externalReference: ExternalReferenceFilter,
  customerId: Type.Optional(Type.String({ maxLength: 64, description: 'Only orders of this customer.' })),
  q: searchWords(
    'Whole words or beginnings of words, all of which must occur in one of the two halves of the order number, or in the name, company or postal code of the shipping address. Case and accents are ignored; one or two Latin letters or digits match whole words only. Alternatively, the beginning of the order number, from one character of its second half on (without dash and `PL` from three characters on); the email address of the account, the beginning of the email address in the shipping address, or a whole tracking number, `externalReference` or reference of the payment. Cities and products are not searched, because they would match a tenth of all orders.',
  ),
  createdFrom: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only orders created at this time or later.' }),
  ),
  createdTo: Type.Optional(Type.String({ format: 'date-time', description: 'Only orders created before this time.' })),
  country: Type.Optional(countryCode('Destination country: ISO 3166-1 alpha-2 code, upper case.')),
  shippingMethod: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Id of the shipping method.' }),
  ),
  productId: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only orders with an item of a variant that this product has now.',
    }),
  ),
  personalization: oneOf(
    ['pending', 'failed'],
    'Only orders with an item whose own print files are pending or have failed. Without `status`, the list leaves out delivered and cancelled orders, whose files cannot be rendered again.',
  ),
  paymentStatus: Type.Optional(
    Type.String({
      pattern: `^${PAYMENT_STATUS}(?:,${PAYMENT_STATUS})*$`,
      maxLength: 100,
      description: `One or more of ${PAYMENT_STATUSES.join(', ')}, separated by commas.`,
    }),
  ),
  disputed: oneOf(['true'], 'Only orders with an open dispute (chargeback).'),
  late: oneOf(['true'], 'Only orders that are to be produced or shipped and whose `dueAt` has passed.'),
  sort: oneOf(['createdAt', '-createdAt'], '`createdAt` sorts oldest first. Default: newest first.'),
}

/** The selection of operators. Customers have too few orders for an index by due time. */
export const ProductionSelection = {
  ...QueueSelection,
  sort: oneOf(
    ['createdAt', '-createdAt', 'dueAt'],
    '`createdAt` sorts oldest first, `dueAt` by due time, orders without one at the end. Default: newest first.',
  ),
}

export const QueueQuery = Type.Object(
  { ...PageQuery.properties, ...ProductionSelection, view: OrderListView },
  { additionalProperties: false, ...METADATA_PARAMETERS },
)
export type QueueQuery = Static<typeof QueueQuery>

/** The filters of the queue, for the orders that a caller may read. */
export const OrderListQuery = Type.Object(
  { ...PageQuery.properties, ...QueueSelection, status: statuses('all.'), view: OrderListView },
  { additionalProperties: false, ...METADATA_PARAMETERS },
)
