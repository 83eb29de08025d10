import { OWN, platen } from '@platen/app/session'
import type { MailPreview, ShippingMethodSettings } from '@platen/client'
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

export const shopSettingsQuery = () =>
  queryOptions({
    queryKey: [...SETTINGS, 'shop'],
    queryFn: ({ signal }) => platen.shopSettings.get({ signal }),
  })

/** The colours that pages would derive from a colour of the shop. */
export const shopColorsQuery = (accentColor: string) =>
  queryOptions({
    queryKey: [...SETTINGS, 'colors', accentColor],
    queryFn: ({ signal }) => platen.shopSettings.previewShopColors({ accentColor }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

/** An uploaded picture that is not the logo yet. */
export const newLogoQuery = (assetId: string) =>
  queryOptions({
    queryKey: [...SETTINGS, 'logo', assetId],
    queryFn: async ({ signal }) => (await platen.assets.getThumbnail(assetId, { size: 400 }, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const signingKeysQuery = () =>
  queryOptions({
    queryKey: [...SETTINGS, 'signing-keys'],
    queryFn: ({ signal }) => platen.signingKeys.list({ signal }),
  })

/** The mails about orders. */
export const mailKindsQuery = () =>
  queryOptions({
    queryKey: [...SETTINGS, 'mails'],
    queryFn: ({ signal }) => platen.mailPreviews.list({ signal }),
  })

export const mailPreviewQuery = (kind: MailPreview['kind'], language: MailPreview['language']) =>
  queryOptions({
    queryKey: [...SETTINGS, 'mails', kind, language],
    queryFn: ({ signal }) => platen.mailPreviews.previewMail(kind, { language }, { signal }),
  })

export const mailTextQuery = (kind: MailPreview['kind'], language: MailPreview['language']) =>
  queryOptions({
    queryKey: [...SETTINGS, 'mails', 'texts', kind, language],
    queryFn: ({ signal }) => platen.mailTexts.get(kind, language, { signal }),
  })

/** The mail with a text that is not saved. */
export const mailTextPreviewQuery = (
  kind: MailPreview['kind'],
  language: MailPreview['language'],
  { subject, body }: { subject: string; body: string },
) =>
  queryOptions({
    queryKey: [...SETTINGS, 'mails', 'drafts', kind, language, subject, body],
    queryFn: ({ signal }) => platen.mailPreviews.previewMailText(kind, { language, subject, body }, { signal }),
    retry: false,
  })

/** What the environment sets. */
export const configurationQuery = () =>
  queryOptions({
    queryKey: [...SETTINGS, 'configuration'],
    queryFn: ({ signal }) => platen.system.getConfiguration({ signal }),
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
