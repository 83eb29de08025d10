import { OWN, platen } from '@platen/app/session'
import type { ShippingMethodSettings } from '@platen/client'
import { queryOptions } from '@tanstack/react-query'

/** Keys of everything that shows settings begin with this. */
export const SETTINGS = [OWN, 'settings'] as const

/** The shipping methods as customers see them, also those that are not offered. */
export const methodListQuery = () =>
  queryOptions({
    queryKey: [...SETTINGS, 'shipping'],
    queryFn: async ({ signal }) => {
      const methods: ShippingMethodSettings[] = []
      for await (const method of platen.shippingSettings.list({ limit: 100 }, { signal })) methods.push(method)
      return methods
    },
  })

export const methodQuery = (methodId: string) =>
  queryOptions({
    queryKey: [...SETTINGS, 'shipping', methodId],
    queryFn: ({ signal }) => platen.shippingMethods.get(methodId, { signal }),
  })

export const taxSettingsQuery = () =>
  queryOptions({
    queryKey: [...SETTINGS, 'taxes'],
    queryFn: ({ signal }) => platen.taxSettings.get({ signal }),
  })

/** The currencies of the products, in which shipping needs prices. */
export const currenciesQuery = () =>
  queryOptions({
    queryKey: [...SETTINGS, 'currencies'],
    queryFn: async ({ signal }) => {
      const currencies = new Set<string>()
      for await (const { currency } of platen.products.list({ limit: 100 }, { signal })) currencies.add(currency)
      return [...currencies].sort()
    },
  })

export interface CalculatedParcel {
  country: string
  weightGrams: number
  currency: string
}

/** What a parcel costs with each method that can ship it. */
export const offersQuery = ({ country, ...parcel }: CalculatedParcel) =>
  queryOptions({
    queryKey: [...SETTINGS, 'offers', country, parcel],
    queryFn: async ({ signal }) => {
      const query = { ...parcel, country: country as 'DE', limit: 100 }
      return (await platen.shippingMethods.list(query, { signal })).data
    },
  })
