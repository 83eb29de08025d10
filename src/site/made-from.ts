/** Returns a function that makes something from settings, and makes it again only after they have changed. */
export function madeFrom<Settings extends object, Made>(
  read: () => Settings,
  make: (settings: Settings) => Made,
): () => Made {
  let last: { settings: Settings; made: Made } | undefined
  return () => {
    const settings = read()
    if (last?.settings !== settings) last = { settings, made: make(settings) }
    return last.made
  }
}
