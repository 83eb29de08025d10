/** A key with its modifiers. */
interface Combination {
  key: string
  mod: boolean
  shift: boolean
  alt: boolean
}

const read = new Map<string, Combination>()

function combinationOf(shortcut: string): Combination {
  const known = read.get(shortcut)
  if (known !== undefined) return known
  const parts = shortcut === '+' ? ['+'] : shortcut.split('+')
  const has = (name: string): boolean => parts.slice(0, -1).includes(name)
  const combination = { key: parts.at(-1) ?? '', mod: has('Mod'), shift: has('Shift'), alt: has('Alt') }
  read.set(shortcut, combination)
  return combination
}

export function isAppleDevice(): boolean {
  return /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')
}

export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** Tells whether a key press is a shortcut, such as `Mod+Shift+Z`. */
export function matchesShortcut(event: KeyPress, shortcut: string, isApple = isAppleDevice()): boolean {
  const { key, mod, shift, alt } = combinationOf(shortcut)
  const hasMod = isApple ? event.metaKey : event.ctrlKey
  const hasOther = isApple ? event.ctrlKey : event.metaKey
  if (hasMod !== mod || hasOther || event.altKey !== alt) return false
  // Which characters need the shift key depends on the layout of the keyboard.
  const isCharacter = key.length === 1 && !/[A-Z]/.test(key)
  if (!isCharacter && event.shiftKey !== shift) return false
  // The option key of Apple's keyboards changes the character.
  return alt && key.length === 1 ? event.code === `Key${key}` : event.key.toUpperCase() === key.toUpperCase()
}

const APPLE_NAMES: Readonly<Record<string, string>> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Delete: '⌦', Backspace: '⌫' }

const SYMBOLS: Readonly<Record<string, string>> = { '-': '−' }

/** @param names names of keys in the language of the customer, such as `Ctrl` for `Mod` */
export function formatShortcut(
  shortcut: string,
  names: Readonly<Record<string, string>>,
  isApple = isAppleDevice(),
): string {
  const parts = shortcut === '+' ? ['+'] : shortcut.split('+')
  const shown = parts.map((part) => (isApple ? APPLE_NAMES[part] : undefined) ?? SYMBOLS[part] ?? names[part] ?? part)
  return shown.join(isApple ? '' : '+')
}
