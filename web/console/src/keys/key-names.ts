const isApple = /Mac|iP/.test(navigator.userAgent)

/** Keyboards in Germany have other names for some keys. */
const isGerman = (): boolean => document.documentElement.lang.startsWith('de')

const nameOf = (key: string): string | undefined => {
  if (key === 'Control') return isApple ? '⌘' : isGerman() ? 'Strg' : 'Ctrl'
  if (key === 'X') return isApple ? '⇧X' : isGerman() ? 'Umschalt X' : 'Shift X'
  return key === 'Escape' ? 'Esc' : undefined
}

/** Returns what stands on the keys of a shortcut. */
export const keyNames = (keys: string): string[] =>
  keys.split(/[ +]/).map((key, index) => nameOf(key) ?? (keys.includes('+') && index > 0 ? key.toUpperCase() : key))
