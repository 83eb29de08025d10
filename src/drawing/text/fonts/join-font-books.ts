import { joinFamilies, ownStyleFor } from './families.ts'
import type { FontBook, FontFace, FontFamily, FontRequest } from './font-book.ts'

/**
 * Joins the uploaded fonts of an account and the installed fonts into one book. A text uses an uploaded family only if
 * it names the family. Fallback never searches uploaded families for the characters of another text, so that no layer
 * depends on the fonts of another layer.
 *
 * A family that is in both books has the styles of both. If both books have the same style, the uploaded files come
 * first.
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
      // A client could name any number of unknown families, so they are not cached.
      if (found.length > 0) requests.set(key, found)
      return found
    },
    shape: (run) => (ownFaces.has(run.face) ? own : installed).shape(run),
  }
}

/** Returns the installed fonts in the order of fallback for a family. The family need not be installed. */
function fallbackFaces(installed: FontBook, request: FontRequest): readonly FontFace[] {
  const isInstalled = knows(installed.families, request)
  const first = installed.families[0]?.family ?? request.family
  return installed.facesFor(isInstalled ? request : { ...request, family: first })
}

function knows(families: readonly FontFamily[], { family }: FontRequest): boolean {
  return families.some((known) => known.family === family)
}
