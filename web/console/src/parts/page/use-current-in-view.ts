import { useLayoutEffect, useRef } from 'react'

/**
 * Scrolls a row of links to the one of the present page, because on a phone the row is wider than the screen.
 *
 * @param present changes with the present page
 */
export function useCurrentInView(present: string) {
  const row = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the present page decides which link is the current one
  useLayoutEffect(() => {
    const current = row.current?.querySelector('[aria-current]')
    if (row.current === null || current == null) return
    const [outer, inner] = [row.current.getBoundingClientRect(), current.getBoundingClientRect()]
    // `scrollIntoView` would also scroll the page.
    row.current.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2)
  }, [present])
  return row
}
