import { nearestStyle } from './create-font-book.ts'
import type { FontBook, FontFace, FontFamily, FontRequest, FontStyleName } from './font-book.ts'

/**
 * A person's own fonts before the installed ones, as one book. A text is set in one of the own families only where it
 * names it: another text's characters are never looked for there, so that no layer depends on the fonts of another.
 *
 * A family of both has the styles of both, and in a style of both the own files come first.
 */
export function joinFontBooks(own: FontBook, installed: FontBook): FontBook {
  const families = joinFamilies(own.families, installed.families)
  const ownFaces = new WeakSet<FontFace>()
  const requests = new Map<string, readonly FontFace[]>()

  const facesOf = (request: FontRequest): readonly FontFace[] => {
    const style = ownStyleFor(own.families, installed.families, request)
    if (style === undefined) return installed.facesFor(request)
    const faces = own.facesFor({ ...request, ...style }).filter(({ family }) => family === request.family)
    for (const face of faces) ownFaces.add(face)
    return [...faces, ...standIns(installed, request)]
  }

  return {
    families,
    facesFor(request) {
      const key = `${request.weight} ${request.style} ${request.family}`
      const known = requests.get(key)
      if (known !== undefined) return known
      const found = facesOf(request)
      // Families that do not exist are not remembered: a client could name any number of them.
      if (found.length > 0) requests.set(key, found)
      return found
    },
    shape: (run) => (ownFaces.has(run.face) ? own : installed).shape(run),
  }
}

/**
 * The style of a person's own family that a text is set in: the nearest of all styles that the family has, own and
 * installed. Undefined where that is an installed one, or the family is none of theirs.
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

/** The installed fonts in the order in which they stand in for a family, whether or not that is one of them. */
function standIns(installed: FontBook, request: FontRequest): readonly FontFace[] {
  const isInstalled = knows(installed.families, request)
  const first = installed.families[0]?.family ?? request.family
  return installed.facesFor(isInstalled ? request : { ...request, family: first })
}

function knows(families: readonly FontFamily[], { family }: FontRequest): boolean {
  return families.some((known) => known.family === family)
}

function stylesOf(families: readonly FontFamily[], wanted: string): FontFamily['styles'] {
  return families.find(({ family }) => family === wanted)?.styles ?? []
}

/** The families of these files, in the order in which they first appear. */
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

/** The families of two books, the first one's before the others; those of one name are one, with the styles and scripts of both. */
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
