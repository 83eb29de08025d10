import type { ReplaceTaxSettingsRequest, TaxSettings } from '@platen/client'

/** The tax of a destination. Empty fields are empty texts, and undefined. */
export interface TaxRateDraft {
  id: number
  country: string
  region: string
  percent: number | undefined
}

export interface TaxDraft {
  taxIncluded: boolean
  rates: readonly TaxRateDraft[]
}

let lastId = 0

export const newRate = (): TaxRateDraft => ({ id: ++lastId, country: '', region: '', percent: undefined })

export function draftOf({ taxIncluded, rates }: TaxSettings): TaxDraft {
  return {
    taxIncluded,
    rates: rates.map(({ country, region = '', basisPoints }) => ({
      ...newRate(),
      country,
      region,
      percent: basisPoints / 100,
    })),
  }
}

export function requestOf({ taxIncluded, rates }: TaxDraft): ReplaceTaxSettingsRequest {
  return {
    taxIncluded,
    rates: rates.map(({ country, region, percent }) => ({
      country: country as ReplaceTaxSettingsRequest['rates'][number]['country'],
      ...(region.trim() === '' ? {} : { region: region.trim() }),
      basisPoints: Math.round((percent ?? 0) * 100),
    })),
  }
}

export const isComplete = ({ rates }: TaxDraft): boolean =>
  rates.every(({ country, percent }) => country !== '' && percent !== undefined && percent <= 100)
