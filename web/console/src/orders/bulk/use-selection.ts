import type { ListedOrder } from '@platen/client'
import { useState } from 'react'

/** How many orders one request can change. */
export const MOST_SELECTED = 200

export type Selected = Pick<ListedOrder, 'id' | 'number' | 'revision'>

export interface Selection {
  /** The selected orders of all pages, as they were when they were selected. */
  orders: readonly Selected[]
  isSelected(id: string): boolean
  toggle(order: ListedOrder): void
  /** Selects all orders of a page, or none of them. */
  toggleAll(page: readonly ListedOrder[], isOn: boolean): void
  clear(): void
  /** Deselects all orders but these. */
  keep(ids: ReadonlySet<string>): void
}

/** The orders that the operator has selected. They stay selected on other pages and with other filters. */
export function useSelection(): Selection {
  const [selected, setSelected] = useState<ReadonlyMap<string, Selected>>(new Map())
  const change = (edit: (next: Map<string, Selected>) => void): void =>
    setSelected((before) => {
      const next = new Map(before)
      edit(next)
      return next.size > MOST_SELECTED ? before : next
    })
  const add = (next: Map<string, Selected>, { id, number, revision }: ListedOrder): void => {
    next.set(id, { id, number, revision })
  }
  return {
    orders: [...selected.values()],
    isSelected: (id) => selected.has(id),
    toggle: (order) =>
      change((next) => {
        if (!next.delete(order.id)) add(next, order)
      }),
    toggleAll: (page, isOn) =>
      change((next) => {
        for (const order of page) {
          if (isOn) add(next, order)
          else next.delete(order.id)
        }
      }),
    clear: () => setSelected(new Map()),
    keep: (ids) =>
      change((next) => {
        for (const id of next.keys()) if (!ids.has(id)) next.delete(id)
      }),
  }
}
