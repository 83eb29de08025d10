/** The categories that a text names, separated by commas. */
export const readCategories = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
