/** The fields for a search have `data-search`, and the field for scanned numbers is in a form of its own. */
const SEARCH = '[data-search], .scan input'

export const hasSearch = (): boolean => document.querySelector(SEARCH) !== null

export const focusSearch = (): void => document.querySelector<HTMLInputElement>(SEARCH)?.focus()

/** Moves the focus out of a field, so that single keys are shortcuts again. */
export function leaveField(event?: KeyboardEvent): void {
  const field = event?.composedPath()[0]
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  // The key has another effect first: it closes a list of suggestions, or empties a search.
  if (field.getAttribute('aria-expanded') === 'true' || (field.type === 'search' && field.value !== '')) return
  document.getElementById('main')?.focus()
}
