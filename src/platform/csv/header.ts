import type { ProblemDetail } from '../problem.ts'

/** Position of a column in a record, and its name in the file. */
export interface FoundColumn {
  index: number
  title: string
}

export interface Header<Column extends string> {
  found: ReadonlyMap<Column, FoundColumn>
  /** Names of columns that the import does not know. */
  ignored: string[]
  errors: ProblemDetail[]
}

export interface ExpectedColumns<Column extends string> {
  /** Names of the columns in lower case, without spaces and punctuation. */
  names: Readonly<Record<Column, readonly string[]>>
  required: readonly Column[]
  /** Takes a column whose name is not in the list, such as one of several with a number. */
  takeOther?(column: FoundColumn): boolean
}

const MAX_TITLE = 64

/** Finds the columns of an import in the header of its file, and what is wrong with it. */
export function readColumns<Column extends string>(
  header: readonly string[],
  { names, required, takeOther }: ExpectedColumns<Column>,
): Header<Column> {
  const known = Object.keys(names) as Column[]
  const found = new Map<Column, FoundColumn>()
  const ignored: string[] = []
  const errors: ProblemDetail[] = []
  for (const [index, field] of header.entries()) {
    const title = field.trim().slice(0, MAX_TITLE)
    const name = normalized(title)
    const column = known.find((one) => names[one].includes(name))
    if (column === undefined) {
      if (title !== '' && takeOther?.({ index, title }) !== true) ignored.push(title)
    } else if (found.has(column)) {
      errors.push({
        code: 'column_repeated',
        detail: `The columns ${found.get(column)?.title} and ${title} are the same.`,
      })
    } else {
      found.set(column, { index, title })
    }
  }
  for (const column of required) {
    if (found.has(column)) continue
    const detail = `The header has no column ${column}. Possible names: ${names[column].join(', ')}.`
    errors.push({ code: 'column_missing', detail })
  }
  return { found, ignored, errors }
}

/** A title in lower case, without spaces and punctuation. */
export const normalized = (title: string): string => title.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
