import { type Static, Type } from 'typebox'
import { PageQuery } from '../../../platform/http/pagination.ts'
import { COUNTRY_CODES } from '../../order/countries.ts'
import { ORDER_STATUSES } from '../../order/state.ts'

const oneOf = <const Values extends readonly string[]>(values: Values, description: string) =>
  Type.Optional(Type.Unsafe<Values[number]>({ type: 'string', enum: values, description }))

const STATUS = `(?:${ORDER_STATUSES.join('|')})`

/** What narrows down the orders of all customers. */
export const QueueSelection = {
  status: Type.Optional(
    Type.String({
      pattern: `^${STATUS}(?:,${STATUS})*$`,
      maxLength: 200,
      description: `Of ${ORDER_STATUSES.join(', ')}, one or more with commas between. Without: what is to be produced or shipped; with \`number\` or \`q\` any.`,
    }),
  ),
  number: Type.Optional(Type.String({ maxLength: 20, description: 'The number of one order, in any state.' })),
  q: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 100,
      pattern: '^(?=.*[\\p{L}\\p{N}])[^\\p{Cc}\\p{Zl}\\p{Zp}]+$',
      description:
        'Words that are all to be found, or begin one, in: either half of the number, name, company and postal code of the shipping address. Or the e-mail address of the customer or of the shipping address, or a whole tracking number. Capitals and accents do not count; of one or two Latin letters or digits only whole words are found.',
    }),
  ),
  createdFrom: Type.Optional(Type.String({ format: 'date-time', description: 'Made at this moment or later.' })),
  createdTo: Type.Optional(Type.String({ format: 'date-time', description: 'Made before this moment.' })),
  country: oneOf(COUNTRY_CODES, 'Where it goes: ISO 3166-1 alpha-2, in capitals.'),
  shippingMethod: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Id of the shipping method.' }),
  ),
  productId: Type.Optional(
    Type.String({ maxLength: 64, description: 'With an item of a variant that this product has now.' }),
  ),
  personalization: oneOf(
    ['pending', 'failed'],
    'With an item whose own print files are not drawn yet, or could not be drawn.',
  ),
  sort: oneOf(['createdAt', '-createdAt'], 'Oldest first, or newest first, as without.'),
}

export const QueueQuery = Type.Object({ ...PageQuery.properties, ...QueueSelection }, { additionalProperties: false })
export type QueueQuery = Static<typeof QueueQuery>
