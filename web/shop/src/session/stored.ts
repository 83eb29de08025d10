/** Names of what the shop keeps in the browser. None of it is a secret. */
export type StoredName = 'platen.session' | 'platen.language' | 'platen.scheme'

/** Returns a stored text. A browser can forbid storage, and then has none. */
export function readStored(name: StoredName): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a text, or removes it. */
export function store(name: StoredName, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // The page works without: the customer chooses again at the next visit.
  }
}
