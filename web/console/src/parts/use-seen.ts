import { type RefObject, useEffect, useState } from 'react'

/** Tells whether an element was in view, or nearly, since it is there. */
export function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        setSeen(true)
        observer.disconnect()
      },
      { rootMargin: '50%' },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return isSeen
}
