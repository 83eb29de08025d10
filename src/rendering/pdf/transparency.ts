import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPage,
  PDFRawStream,
  PDFRef,
} from '@cantoo/pdf-lib'
import type { ColorSpaces } from './color-spaces.ts'

/**
 * Makes a page with transparency blend in sRGB (ISO 32000-1, section 11.6.6), as its preview does. Without this
 * setting, readers blend in the colours of the press, which changes translucent colours.
 */
export function setBlendingSpace(page: PDFPage, { srgb }: ColorSpaces): void {
  const { context } = page.doc
  if (!isTransparent(context, page.node.get(PDFName.of('Resources')), new Set())) return
  page.node.set(PDFName.of('Group'), context.obj({ Type: 'Group', S: 'Transparency', CS: srgb, I: true, K: false }))
}

function isTransparent(context: PDFContext, object: PDFObject | undefined, seen: Set<PDFRef>): boolean {
  if (object instanceof PDFRef) {
    if (seen.has(object)) return false
    seen.add(object)
    return isTransparent(context, context.lookup(object), seen)
  }
  if (object instanceof PDFArray) return object.asArray().some((item) => isTransparent(context, item, seen))
  const dict = object instanceof PDFRawStream ? object.dict : object
  if (!(dict instanceof PDFDict)) return false
  return dict.entries().some(([key, value]) => saysSo(key, value) || isTransparent(context, value, seen))
}

/**
 * Tells whether an entry of a graphics state, image or group means transparency (ISO 32000-1, tables 58, 89 and 95).
 */
function saysSo(key: PDFName, value: PDFObject): boolean {
  switch (key.asString()) {
    case '/ca':
    case '/CA':
      return value instanceof PDFNumber && value.asNumber() < 1
    case '/BM':
      return value !== PDFName.of('Normal')
    case '/SMask':
      return value !== PDFName.of('None')
    case '/Group':
      return true
    default:
      return false
  }
}
