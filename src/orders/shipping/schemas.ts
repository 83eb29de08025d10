import { type Static, type TSchema, Type } from 'typebox'
import { line } from '../../platform/http/input/text.ts'
import { DOCUMENTED_AS } from '../../platform/http/operations/document/unions.ts'
import { PageQuery } from '../../platform/http/responses/pagination.ts'
import { COUNTRY_CODES, countryCode } from '../order/countries.ts'
import { MoneyBody, toMoney } from '../order/money.ts'
import type { PricedShippingMethod } from './offers.ts'
import type { StoredShippingMethod } from './store.ts'

const closed = { additionalProperties: false } as const

const estimatedDays = Type.Object(
  { min: Type.Integer({ minimum: 0, maximum: 365 }), max: Type.Integer({ minimum: 0, maximum: 365 }) },
  { ...closed, description: 'Delivery time in working days.' },
)

export const ShippingMethodBody = Type.Object(
  { id: Type.String(), name: Type.String(), price: MoneyBody, estimatedDays },
  { ...closed, title: 'ShippingMethod' },
)
export type ShippingMethodBody = Static<typeof ShippingMethodBody>

const Price = Type.Object(
  {
    amount: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'In minor units of the currency.' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' }),
  },
  closed,
)

const Rate = Type.Object(
  {
    maxWeightGrams: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Maximum weight of the whole parcel. Default: no maximum.',
      }),
    ),
    prices: Type.Array(Price, {
      minItems: 1,
      maxItems: 50,
      description: 'Price per currency. Orders in a currency without a price cannot use the method.',
    }),
  },
  { ...closed, title: 'ShippingRate' },
)

const zoneMembers = (country: TSchema) => ({
  name: Type.Optional(line(100)),
  countries: Type.Array(Type.Unsafe<string>(country), {
    minItems: 1,
    maxItems: 250,
    description: 'ISO 3166-1 alpha-2 codes, or `*` alone for every country that no other zone of the method names.',
  }),
  rates: Type.Array(Rate, {
    minItems: 1,
    maxItems: 50,
    description:
      'Ascending by weight. The first rate whose maximum is not below the weight of the parcel determines the price.',
  }),
})

const ZoneCountry: TSchema = Type.Unsafe<string>({
  type: 'string',
  enum: [...COUNTRY_CODES, '*'],
  [DOCUMENTED_AS]: {
    title: 'ZoneCountry',
    ...Type.Union([countryCode('ISO 3166-1 alpha-2 code.'), Type.Literal('*', { title: 'EveryCountry' })]),
  },
})

const NewZone = Type.Object(zoneMembers(ZoneCountry), { ...closed, title: 'NewShippingZone' })
const ZoneBody = Type.Object(zoneMembers(ZoneCountry), { ...closed, title: 'ShippingZone' })

const name = line(100)
const zonesOf = <T extends typeof NewZone>(zone: T) =>
  Type.Array(zone, { maxItems: 100, description: 'The method does not ship to countries outside its zones.' })
const zones = zonesOf(NewZone)
const active = Type.Boolean({ description: 'Whether the method is offered.' })
const position = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Rank among the methods. The first method that can ship a parcel is the default.',
})

export const NewShippingMethodBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
        description: 'Id by which orders name the method, such as `express`. Default: derived from the name.',
      }),
    ),
    name,
    estimatedDays,
    zones,
    active: Type.Optional(Type.Boolean({ default: true, description: 'Whether the method is offered.' })),
    position: Type.Optional(position),
  },
  closed,
)
export type NewShippingMethodBody = Static<typeof NewShippingMethodBody>

export const ShippingMethodChangesBody = Type.Partial(Type.Object({ name, estimatedDays, zones, active, position }), {
  ...closed,
  minProperties: 1,
})
export type ShippingMethodChangesBody = Static<typeof ShippingMethodChangesBody>

export const ShippingMethodSettingsBody = Type.Object(
  {
    id: Type.String(),
    name,
    estimatedDays,
    zones: zonesOf(ZoneBody),
    active,
    position,
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
    deletedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Time of deletion. Present if the method was deleted.' }),
    ),
  },
  { ...closed, title: 'ShippingMethodSettings' },
)
export type ShippingMethodSettingsBody = Static<typeof ShippingMethodSettingsBody>

export const ShippingMethodParams = Type.Object({ methodId: Type.String({ maxLength: 64 }) }, closed)

export const ShippingMethodQuery = Type.Object(
  {
    ...PageQuery.properties,
    currency: Type.String({ pattern: '^[A-Z]{3}$', default: 'EUR', description: 'ISO 4217 code.' }),
    country: Type.Optional(countryCode('Destination country. Default: the lowest price for any destination.')),
    weightGrams: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Weight of the whole parcel.' }),
    ),
  },
  closed,
)

export function toShippingMethodBodies(
  methods: readonly PricedShippingMethod[],
  currency: string,
): ShippingMethodBody[] {
  return methods.map(({ id, name: text, amount, estimatedDays: days }) => ({
    id,
    name: text,
    price: toMoney(amount, currency),
    estimatedDays: days,
  }))
}

export function toShippingMethodSettingsBody(method: StoredShippingMethod): ShippingMethodSettingsBody {
  const { createdAt, updatedAt, deletedAt, ...rest } = method
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(deletedAt === null ? {} : { deletedAt: deletedAt.toISOString() }),
  }
}
