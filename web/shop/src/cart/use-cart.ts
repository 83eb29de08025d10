import { type CartItem, changeCart, MAX_QUANTITY, useAccount } from '@platen/app/session'
import { ownerOf, useCartItems } from './use-cart-items.ts'

export type NewItem = Omit<CartItem, 'id'>

export interface Cart {
  items: readonly CartItem[]
  /** Adds pieces. Pieces of a design that is in the cart with the same texts join these. Returns what did not fit. */
  add(items: readonly NewItem[]): readonly NewItem[]
  change(id: string, part: Partial<NewItem>): void
  /** Adds an item behind another one. Returns false if the cart is full. */
  insertAfter(id: string, item: NewItem): boolean
  /** Removes items. Returns what brings them back, unless the cart is full by then. */
  remove(ids: readonly string[]): () => boolean
}

/** The cart of the customer of this session. */
export function useCart(): Cart {
  const owner = ownerOf(useAccount())
  const items = useCartItems()
  const update = (change: (items: readonly CartItem[]) => readonly CartItem[]): boolean =>
    owner !== undefined && changeCart(owner, change)
  return {
    items,
    add: (added) => added.filter((item) => !update((before) => join(before, item))),
    change: (id, part) => void update((before) => before.map((one) => (one.id === id ? { ...one, ...part } : one))),
    insertAfter: (id, item) =>
      update((before) => before.flatMap((one) => (one.id === id ? [one, withId(item)] : [one]))),
    remove: (ids) => {
      const removed = items.filter(({ id }) => ids.includes(id))
      update((before) => before.filter(({ id }) => !ids.includes(id)))
      return () => update((before) => restore(before, removed, items))
    },
  }
}

const withId = (item: NewItem): CartItem => ({ ...item, id: crypto.randomUUID() })

function join(items: readonly CartItem[], item: NewItem): readonly CartItem[] {
  const same = items.find(({ designId, data }) => designId === item.designId && textsOf(data) === textsOf(item.data))
  if (same === undefined) return [...items, withId(item)]
  const quantity = Math.min(MAX_QUANTITY, same.quantity + item.quantity)
  return items.map((one) => (one === same ? { ...one, quantity } : one))
}

const textsOf = (data: CartItem['data']): string => JSON.stringify(Object.entries(data ?? {}).sort())

/** Puts removed items back to where they were. */
function restore(
  items: readonly CartItem[],
  removed: readonly CartItem[],
  order: readonly CartItem[],
): readonly CartItem[] {
  const placeOf = ({ id }: CartItem): number => order.findIndex((one) => one.id === id)
  const last = order.length
  const rankOf = (item: CartItem): number => (placeOf(item) === -1 ? last : placeOf(item))
  const missing = removed.filter(({ id }) => !items.some((one) => one.id === id))
  return [...items, ...missing].sort((a, b) => rankOf(a) - rankOf(b))
}
