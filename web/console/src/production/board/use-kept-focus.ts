import { type RefObject, useEffect, useRef } from 'react'

/** Keeps the focus on an order that moves to another column, where its card is made anew. */
export function useKeptFocus(area: RefObject<HTMLElement | null>): void {
  const last = useRef<string>(undefined)
  useEffect(() => {
    const stop = new AbortController()
    const note = ({ target }: Event): void => {
      if (!(target instanceof Element)) return
      const card = target.closest<HTMLElement>('.board-card')
      // A dialog gives the focus back to the card that has opened it.
      if (card !== null || target.closest('[role="dialog"]') === null) last.current = card?.dataset['order']
    }
    for (const type of ['focusin', 'pointerdown']) document.addEventListener(type, note, { signal: stop.signal })
    return () => stop.abort()
  }, [])
  // After each rendering: no event tells that the element with the focus was removed.
  useEffect(() => {
    if (last.current === undefined || document.activeElement !== document.body) return
    area.current?.querySelector<HTMLElement>(`[data-order="${last.current}"] [data-row]`)?.focus()
  })
}
