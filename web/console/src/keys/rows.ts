/** The links of rows and cards, by which keys move, have `data-row`. */
const ROW = '[data-row]'

export const hasRows = (): boolean => document.querySelector(ROW) !== null

export const hasSelectableRows = (): boolean => document.querySelector('[data-select]') !== null

/** Moves the focus between the links of the rows of a table. */
export function moveInRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROW)]
  const at = rows.indexOf(ownRow() ?? document.body)
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step
  rows[next]?.focus()
}

/** Opens the row that has the focus. */
export const openRow = (): void => ownRow()?.click()

/**
 * Selects the row or the card that has the focus, if it can be selected.
 *
 * @param isRange whether the rows since the one that was selected last are selected, too
 */
export function selectRow(isRange: boolean): void {
  const box = present()?.querySelector<HTMLElement>('[data-select]')
  if (box == null) return
  box.dataset['select'] = isRange ? 'range' : ''
  box.querySelector('input')?.click()
}

/** Moves the focus to the first row of the next or the previous of several lists that has one. */
export function moveInLists(selector: string, step: 1 | -1): void {
  const lists = [...document.querySelectorAll(selector)].filter((list) => list.querySelector(ROW) !== null)
  const at = lists.findIndex((list) => list.contains(document.activeElement))
  const next = at < 0 ? (step > 0 ? 0 : lists.length - 1) : at + step
  lists[next]?.querySelector<HTMLElement>(ROW)?.focus()
}

const present = () => document.activeElement?.closest('tr, li:has([data-row])') ?? undefined

const ownRow = () => present()?.querySelector<HTMLElement>(ROW) ?? undefined
