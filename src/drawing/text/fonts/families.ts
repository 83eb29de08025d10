import type { FontFamily, FontRequest, FontStyleName } from './font-book.ts'
import { nearestStyle } from './nearest-style.ts'

/**
 * Finds the style of an uploaded family for a text: the nearest of all its styles, uploaded and installed. Returns
 * undefined if the nearest style is an installed one, or if no uploaded family has this name.
 */
export function ownStyleFor(
  own: readonly FontFamily[],
  installed: readonly FontFamily[],
  request: FontRequest,
): FontFamily['styles'][number] | undefined {
  const theirs = stylesOf(own, request.family)
  if (theirs.length === 0) return undefined
  const match = nearestStyle([...theirs, ...stylesOf(installed, request.family)], request)
  return theirs.find(({ weight, style }) => weight === match?.weight && style === match.style)
}

function stylesOf(families: readonly FontFamily[], wanted: string): FontFamily['styles'] {
  return families.find(({ family }) => family === wanted)?.styles ?? []
}

/** Lists the families of the given files, in the order of their first file. */
export function listFamilies(
  files: readonly { family: string; weight: number; style: FontStyleName; scripts: readonly string[] }[],
): FontFamily[] {
  const families = new Map<string, FontFamily>()
  for (const { family, weight, style, scripts } of files) {
    const one = { family, styles: [{ weight, style }], scripts: [...scripts] }
    const known = families.get(family)
    families.set(family, known === undefined ? one : mergeFamilies(known, one))
  }
  return [...families.values()]
}

/**
 * Joins the families of two font books. The families of the first book come first. Families with the same name are
 * merged.
 */
export function joinFamilies(own: readonly FontFamily[], installed: readonly FontFamily[]): FontFamily[] {
  const joined = own.map((family) => {
    const same = installed.find((other) => other.family === family.family)
    return same === undefined ? family : mergeFamilies(family, same)
  })
  return [...joined, ...installed.filter(({ family }) => !own.some((one) => one.family === family))]
}

function mergeFamilies(one: FontFamily, other: FontFamily): FontFamily {
  const added = other.styles.filter(
    ({ weight, style }) => !one.styles.some((known) => known.weight === weight && known.style === style),
  )
  return {
    family: one.family,
    styles: [...one.styles, ...added].sort(byStyle),
    scripts: [...new Set([...one.scripts, ...other.scripts])],
  }
}

function byStyle(a: FontFamily['styles'][number], b: FontFamily['styles'][number]): number {
  if (a.style !== b.style) return a.style === 'italic' ? 1 : -1
  return a.weight - b.weight
}
