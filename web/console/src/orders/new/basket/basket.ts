import type { CreateQuoteRequest, ListedDesign, PostalAddress, PostalAddressInput } from '@platen/client'
import { inMinorUnits } from '../../../parts/form/money.ts'
import type { Line } from './lines.ts'

/** What is entered of a postal address. */
export type AddressFields = Record<Exclude<keyof PostalAddressInput, 'country'>, string> & { country: string }

export const EMPTY_ADDRESS: AddressFields = {
  ...{ name: '', company: '', line1: '', line2: '', postalCode: '' },
  ...{ city: '', region: '', country: '', email: '', phone: '' },
}

/** Returns the fields of the postal address of an order. */
export const addressFieldsOf = (address: PostalAddress): AddressFields => ({ ...EMPTY_ADDRESS, ...address })

export const currencyOf = ({ finalization }: ListedDesign): string => finalization?.price.currency ?? ''

/** Creates the request of a quote for what is entered. */
export function toBasket(
  designs: readonly ListedDesign[],
  lines: readonly Line[],
  address: AddressFields,
): CreateQuoteRequest {
  const items = lines.flatMap(({ designId, quantity, data, price, reason }) => {
    const design = designs.find(({ id }) => id === designId)
    if (design === undefined || quantity === undefined || quantity === 0) return []
    return [
      {
        designId,
        quantity,
        ...(Object.keys(data).length === 0 ? {} : { data: { ...data } }),
        ...(price === undefined
          ? {}
          : { agreedPrice: { unitPrice: inMinorUnits(price, currencyOf(design)), reason: reason.trim() } }),
      },
    ]
  })
  // The service refuses empty texts.
  const entered = Object.entries(address).filter(([, value]) => value.trim() !== '')
  return { items, shippingAddress: Object.fromEntries(entered) as unknown as PostalAddressInput }
}
