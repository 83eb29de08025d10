/** Without the field by then, the keys belong to the page again. */
const LONGEST_MS = 10_000

let typed = ''
let stop = (): void => {}

/**
 * Collects what is typed until the field for it is there. Meanwhile, keys neither run shortcuts of the page nor press
 * its buttons.
 *
 * @param onEscape is called if the user gives up
 */
export function collectKeys(onEscape: () => void): void {
  stop()
  typed = ''
  const onKey = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey } = event
    event.stopImmediatePropagation()
    // AltGr, with which keyboards type some characters, counts as Ctrl and Alt.
    if ((ctrlKey || metaKey) && !event.getModifierState('AltGraph')) return
    if (altKey && key.length > 1) return
    event.preventDefault()
    if (key === 'Escape') onEscape()
    else if (key === 'Backspace') typed = typed.slice(0, -1)
    else if (key.length === 1) typed += key
  }
  addEventListener('keydown', onKey, { capture: true })
  const timer = setTimeout(() => stop(), LONGEST_MS)
  stop = () => {
    clearTimeout(timer)
    removeEventListener('keydown', onKey, { capture: true })
    stop = () => {}
  }
}

/** Returns what was typed so far, and lets the keys reach the page again. */
export function takeKeys(): string {
  stop()
  const taken = typed
  typed = ''
  return taken
}
