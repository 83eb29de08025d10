import { flushSync } from 'react-dom'

/** A field for a number takes over what was typed when it loses the focus, which no key that sends a form does. */
export function commitField(): void {
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement)) return
  flushSync(() => field.blur())
  field.focus()
}
