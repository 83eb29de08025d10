import { PlatenError, type PricePreview, type PriceTier, type ProblemDetail } from '@platen/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DraftTier } from '../product/draft/draft.ts'
import { pricePreviewQuery } from '../queries.ts'

/** Between the last keystroke and the request. */
const PAUSE_MS = 300

export interface ShownPreview {
  /** Undefined until the tiers are complete. */
  prices: PricePreview['prices'] | undefined
  isStale: boolean
  /** What the service finds wrong with the tiers. */
  faults: readonly ProblemDetail[]
}

/** Asks the service what quantities cost, while the tiers are typed. */
export function usePricePreview(currency: string, tiers: readonly DraftTier[]): ShownPreview {
  const complete = tiers.flatMap(({ minQuantity, unitAmount }): PriceTier[] =>
    minQuantity === undefined || unitAmount === undefined ? [] : [{ minQuantity, unitAmount }],
  )
  const isComplete = complete.length === tiers.length && tiers.length > 0 && currency !== ''
  const typed = JSON.stringify(complete)
  const settled = useSettled(typed)
  const preview = useQuery({
    ...pricePreviewQuery(currency, JSON.parse(settled) as PriceTier[]),
    enabled: isComplete && settled === typed,
  })
  const isCurrent = isComplete && settled === typed
  const faults = isCurrent && preview.error instanceof PlatenError ? preview.error.errors : []
  return {
    prices: isComplete && faults.length === 0 ? preview.data?.prices : undefined,
    isStale: !isCurrent || preview.isPlaceholderData,
    faults,
  }
}

/** Returns a text once it has not changed for a while. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
