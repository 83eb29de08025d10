import { joinFamilies, ownStyleFor } from './families.ts'
import type { FontBook, FontFace, FontFamily, FontRequest } from './font-book.ts'

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
    return [...faces, ...fallbackFaces(installed, request)]
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

/** The installed fonts in the order in which they stand in for a family, whether or not that is one of them. */
function fallbackFaces(installed: FontBook, request: FontRequest): readonly FontFace[] {
  const isInstalled = knows(installed.families, request)
  const first = installed.families[0]?.family ?? request.family
  return installed.facesFor(isInstalled ? request : { ...request, family: first })
}

function knows(families: readonly FontFamily[], { family }: FontRequest): boolean {
  return families.some((known) => known.family === family)
}
