import { readStored, type StoredName, store } from './stored.ts'

/** Pieces of a finished design. The service alone knows what they cost. */
export interface CartItem {
  /** Names the item within the cart. */
  id: string
  designId: string
  quantity: number
  /** Texts for the placeholders of the design. */
  data?: Readonly<Record<string, string>>
}

/** The limits of an order. */
export const MAX_ITEMS = 100
export const MAX_QUANTITY = 100_000

/** The owner of the cart of a session without an account. A browser has at most one such session. */
export const GUEST = 'guest'

const NOTHING: readonly CartItem[] = []
const listeners = new Set<() => void>()
/** What was read last of each cart, so that the same text is the same array. */
const known = new Map<string, { text: string | undefined; items: readonly CartItem[] }>()

const nameOf = (owner: string): StoredName => `platen.cart.${owner}`

/** Returns the cart of a customer. All tabs share it. */
export function readCart(owner: string): readonly CartItem[] {
  const text = readStored(nameOf(owner))
  const last = known.get(owner)
  if (last !== undefined && last.text === text) return last.items
  const items = text === undefined ? NOTHING : parse(text)
  known.set(owner, { text, items })
  return items
}

/** Changes nothing and returns false if items were added to a cart that has no room for them. */
export function changeCart(owner: string, change: (items: readonly CartItem[]) => readonly CartItem[]): boolean {
  const before = readCart(owner)
  const items = change(before)
  if (items.length > MAX_ITEMS && items.length > before.length) return false
  store(nameOf(owner), items.length === 0 ? undefined : JSON.stringify(items))
  for (const listener of listeners) listener()
  return true
}

/**
 * Gives the cart of the guest to the account that now has the designs. Without one, the cart is emptied.
 *
 * @returns how many items the cart of the account had no room for
 */
export function passGuestCart(to: string | undefined): number {
  const items = readCart(GUEST)
  if (items.length === 0) return 0
  changeCart(GUEST, () => [])
  if (to === undefined) return 0
  const room = Math.max(0, MAX_ITEMS - readCart(to).length)
  changeCart(to, (own) => [...own, ...items.slice(0, room)])
  return Math.max(0, items.length - room)
}

/** Calls the listener after a change, also in another tab. */
export function onCartChange(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** Reads what an earlier version of the shop may have stored. Items that make no sense are left out. */
function parse(text: string): readonly CartItem[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isItem) : NOTHING
  } catch {
    return NOTHING
  }
}

function isItem(value: unknown): value is CartItem {
  const { id, designId, quantity, data = {} } = (value ?? {}) as Partial<Record<keyof CartItem, unknown>>
  return (
    typeof id === 'string' &&
    typeof designId === 'string' &&
    Number.isInteger(quantity) &&
    typeof data === 'object' &&
    Object.values(data ?? {}).every((entry) => typeof entry === 'string')
  )
}
