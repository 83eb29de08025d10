import { createValueStore } from '../../../state/value-store.ts'
import { opaqueOf, readHex } from './colors.ts'

const KEY = 'platen.editor.recentColors'
const MOST = 8

/** Adds a colour to the recent ones, newest first. */
export function rememberColor(recent: readonly string[], color: string): string[] {
  const own = opaqueOf(color)
  return [own, ...recent.filter((other) => other !== own)].slice(0, MOST)
}

function load(): string[] {
  try {
    const stored: unknown = JSON.parse(globalThis.localStorage?.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.flatMap((color) => readHex(String(color)) ?? []).slice(0, MOST) : []
  } catch {
    // Storage may be blocked, and its content may be of another program.
    return []
  }
}

const recent = createValueStore<readonly string[] | undefined>(undefined)

/** The colours that the customer has used last, on this device. */
export const recentColors = {
  get(): readonly string[] {
    const known = recent.get()
    if (known !== undefined) return known
    const loaded = load()
    recent.set(loaded)
    return loaded
  },
  subscribe: recent.subscribe,
  add(color: string): void {
    const next = rememberColor(recentColors.get(), color)
    recent.set(next)
    try {
      globalThis.localStorage?.setItem(KEY, JSON.stringify(next))
    } catch {
      // They last until the page is closed.
    }
  },
}
