import { type Static, Type } from 'typebox'
import { line } from '../../platform/http/input/text.ts'
import { countryCode } from './countries.ts'

const closed = { additionalProperties: false } as const

/** A postal address in requests. Lines may be in any script, but contain no control characters. */
export const PostalAddressInput = Type.Object(
  {
    name: line(200, { description: 'Name of the recipient.' }),
    company: Type.Optional(line(200)),
    line1: line(200, { description: 'Street and number, or their equivalent.' }),
    line2: Type.Optional(line(200)),
    city: line(100),
    region: Type.Optional(
      line(100, { description: 'State, province or county. Required in Australia, Canada and the United States.' }),
    ),
    postalCode: Type.Optional(line(20)),
    country: countryCode('ISO 3166-1 alpha-2 code, in capitals.'),
    phone: Type.Optional(Type.String({ pattern: '^\\+?[0-9(][0-9 ()./-]{2,38}$' })),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  },
  { ...closed, title: 'PostalAddressInput', description: 'Postal address to which the order is shipped.' },
)
export type PostalAddress = Static<typeof PostalAddressInput>

export const PostalAddressBody = Type.Object(
  {
    name: Type.String(),
    company: Type.Optional(Type.String()),
    line1: Type.String(),
    line2: Type.Optional(Type.String()),
    city: Type.String(),
    region: Type.Optional(Type.String()),
    postalCode: Type.Optional(Type.String()),
    country: countryCode('ISO 3166-1 alpha-2 code.'),
    phone: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
  },
  { ...closed, title: 'PostalAddress' },
)

/** Replaces the name and the lines of an erased postal address. */
export const ERASED = 'Erased'

/** Erases a postal address except for country and region, which the tax of the order depends on. */
export function redactPostalAddress({ region, country }: PostalAddress): PostalAddress {
  return { name: ERASED, line1: ERASED, city: ERASED, ...(region === undefined ? {} : { region }), country }
}

export function isErased({ name, line1 }: Pick<PostalAddress, 'name' | 'line1'>): boolean {
  return name === ERASED && line1 === ERASED
}
