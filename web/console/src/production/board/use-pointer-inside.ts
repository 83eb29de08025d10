import { type RefObject, useEffect, useState } from 'react'

/** A pointer that rests for longer is one that was left there. */
const REST_MS = 30_000

/** Tells whether the pointer is inside of an element and was moved lately. A finger is inside while it touches. */
export function usePointerInside(area: RefObject<HTMLElement | null>): boolean {
  const [isInside, setInside] = useState(false)
  useEffect(() => {
    const element = area.current
    if (element === null) return undefined
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = (): void => {
      clearTimeout(timer)
      setInside(false)
    }
    const use = (): void => {
      clearTimeout(timer)
      timer = setTimeout(leave, REST_MS)
      setInside(true)
    }
    // Not those of React, which would also hear of pointers in dialogs that cards have opened.
    for (const type of ['pointerenter', 'pointermove', 'pointerdown'] as const) {
      element.addEventListener(type, use, { signal: stop.signal })
    }
    for (const type of ['pointerleave', 'pointercancel'] as const) {
      element.addEventListener(type, leave, { signal: stop.signal })
    }
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [area])
  return isInside
}
