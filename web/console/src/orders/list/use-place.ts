import { useEffect } from 'react'

/** Where the operator was when the table was left. */
let place: { url: string; top: number } | undefined
let lastOpened: string | undefined

/** Notes the order to which the operator goes from a table. */
export function noteOpened(orderId: string): void {
  lastOpened = orderId
}

/** Returns the URL of the table that was shown last, with its filters and its page. */
export const lastTableUrl = (): string => place?.url ?? '/orders'

/**
 * Restores the place in the table when the operator returns to it, also by a link.
 *
 * @param isReady whether the rows are there
 * @returns the order that was opened last
 */
export function usePlace(url: string, isReady: boolean): string | undefined {
  useEffect(() => {
    if (isReady && place?.url === url && place.top > 0) scrollTo(0, place.top)
  }, [isReady, url])
  useEffect(() => {
    place = { url, top: place?.url === url ? place.top : 0 }
    const note = (): void => {
      place = { url, top: scrollY }
    }
    addEventListener('scroll', note, { passive: true })
    return () => removeEventListener('scroll', note)
  }, [url])
  return lastOpened
}
