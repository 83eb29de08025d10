/** Returns the first of the wanted languages that is available, or the first available one. */
export function chooseLanguage(wanted: readonly string[], available: readonly string[]): string {
  for (const tag of wanted) {
    const exact = available.find((language) => language.toLowerCase() === tag.toLowerCase())
    if (exact !== undefined) return exact
    const base = tag.split('-')[0]?.toLowerCase()
    const related = available.find((language) => language.split('-')[0]?.toLowerCase() === base)
    if (related !== undefined) return related
  }
  return available[0] ?? 'en'
}
