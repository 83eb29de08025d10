/** Without the field by then, the keys belong to the page again. */
const LONGEST_MS = 10_000

export interface Typed {
  text: string
  /** Whether Enter was pressed after it. */
  isEntered: boolean
}

const NOTHING: Typed = { text: '', isEntered: false }

/** The keys with a name that belong to the field. */
const COLLECTED = new Set(['Escape', 'Enter', 'Backspace'])

let typed = NOTHING
let stop = (): void => {}

/**
 * Collects what is typed until the field for it is there. Meanwhile, keys neither run shortcuts of the page nor press
 * its buttons.
 *
 * @param onEscape is called if the user gives up
 */
export function collectKeys(onEscape: () => void): void {
  stop()
  typed = NOTHING
  const onKey = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey } = event
    event.stopImmediatePropagation()
    // Keys such as Tab and F5 have no meaning in the field that is to come.
    if (key.length > 1 && !COLLECTED.has(key)) return
    // AltGr, with which keyboards type some characters, counts as Ctrl and Alt.
    if ((ctrlKey || metaKey) && !event.getModifierState('AltGraph')) return
    event.preventDefault()
    if (key === 'Escape') onEscape()
    else if (key === 'Enter') typed = { ...typed, isEntered: true }
    else if (key === 'Backspace') typed = { text: typed.text.slice(0, -1), isEntered: false }
    else if (key.length === 1) typed = { text: typed.text + key, isEntered: false }
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
export function takeKeys(): Typed {
  stop()
  const taken = typed
  typed = NOTHING
  return taken
}
