const isApple = /Mac|iP/.test(navigator.userAgent)

const NAMES: Readonly<Record<string, string>> = {
  Control: isApple ? '⌘' : 'Ctrl',
  Escape: 'Esc',
  X: isApple ? '⇧X' : 'Shift X',
}

/** Returns what stands on the keys of a shortcut. */
export const keyNames = (keys: string): string[] =>
  keys.split(/[ +]/).map((key, index) => NAMES[key] ?? (keys.includes('+') && index > 0 ? key.toUpperCase() : key))
