/** Names of what the shop keeps in the browser. None of it is a secret. */
export type StoredName =
  | 'platen.session'
  | 'platen.language'
  | 'platen.scheme'
  /** `off`: single keys are no shortcuts of the console. */
  | 'platen.shortcuts'
  /** Lines of CSV files for designs that are not finished. */
  | 'platen.rows'
  /** What a customer is about to order. */
  | `platen.cart.${string}`
  /** The last event that a user has seen in the log of the console. */
  | `platen.seenEvent.${string}`
  /** What a user has changed in the console, so that the events of it are not unread. */
  | `platen.ownChanges.${string}`
  /** The filters of the table of orders that a user has named. */
  | `platen.orderViews.${string}`
  /** Where the last order of a customer went. */
  | `platen.address.${string}`

/** Takes the place of the storage of a browser that forbids it. */
const unstored = new Map<StoredName, string>()

/** Returns a stored text. */
export function readStored(name: StoredName): string | undefined {
  try {
    return localStorage.getItem(name) ?? unstored.get(name)
  } catch {
    return unstored.get(name)
  }
}

/** Stores a text, or removes it. Without a storage, the text lasts as long as the page. */
export function store(name: StoredName, value: string | undefined): void {
  unstored.delete(name)
  try {
    if (value === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    if (value !== undefined) unstored.set(name, value)
  }
}
