import { useEffect } from 'react'

interface Place {
  url: string
  top: number
}

/** Where the operator was when a table was left, and which row was opened last, by the path of the table. */
const places = new Map<string, Place>()
const opened = new Map<string, string>()

/** Notes the row that the operator opens from a table. */
export function noteOpened(path: string, id: string): void {
  opened.set(path, id)
}

/** Returns the URL of a table as it was shown last, with its filters and its page. */
export const lastTableUrl = (path: string): string => places.get(path)?.url ?? path

/** Forgets how the table above a page was shown: a record that is opened from elsewhere need not be in it. */
export function forgetTableAbove(href: string): void {
  for (const path of places.keys()) if (href.startsWith(`${path}/`)) places.delete(path)
}

/**
 * Restores the place in a table when the operator returns to it, also by a link.
 *
 * @param url the present page of the table
 * @param isReady whether the rows are there
 * @returns the row that was opened last
 */
export function usePlace(url: string, isReady: boolean): string | undefined {
  const [path = url] = url.split('?')
  useEffect(() => {
    const place = places.get(path)
    if (isReady && place?.url === url && place.top > 0) scrollTo(0, place.top)
  }, [isReady, url, path])
  useEffect(() => {
    const place = places.get(path)
    places.set(path, { url, top: place?.url === url ? place.top : 0 })
    const note = (): void => {
      places.set(path, { url, top: scrollY })
    }
    addEventListener('scroll', note, { passive: true })
    return () => removeEventListener('scroll', note)
  }, [url, path])
  return opened.get(path)
}
