// Of the zero-width space, the soft hyphen, the filler of Hangul and their like only the second property says so.
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u

/** Whether a text leaves no trace in print: it is empty, or all of it is white space, controls and what is never drawn. */
export function isBlank(text: string): boolean {
  return BLANK.test(text)
}
