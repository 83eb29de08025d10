import { useEffect, useLayoutEffect, useRef } from 'react'

/** A link leads to the beginning of a page. For "back", the browser restores the place itself. */
export function useScrollToTop(path: string): void {
  const isBack = useRef(false)
  useEffect(() => {
    const note = (): void => {
      isBack.current = true
    }
    // Captured, so that it runs before the router shows the page.
    addEventListener('popstate', note, { capture: true })
    return () => removeEventListener('popstate', note, { capture: true })
  }, [])
  // Before the effects of the page, which may know a better place.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each path is another page
  useLayoutEffect(() => {
    if (!isBack.current) scrollTo(0, 0)
    isBack.current = false
  }, [path])
}
