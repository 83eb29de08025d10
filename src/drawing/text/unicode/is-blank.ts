// Of these classes, only `Default_Ignorable_Code_Point` includes the zero-width space, the soft hyphen and the Hangul
// fillers.
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u

/**
 * Tells whether a text prints nothing: it is empty, or consists only of white space, controls and ignorable characters.
 */
export function isBlank(text: string): boolean {
  return BLANK.test(text)
}
