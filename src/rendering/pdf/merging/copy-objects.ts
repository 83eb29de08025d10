import { PDFArray, type PDFContext, PDFDict, PDFName, type PDFObject, PDFRawStream, PDFRef } from '@cantoo/pdf-lib'
import type { FontTags } from './font-tags.ts'
import type { ObjectFile } from './object-file.ts'

export interface ObjectCopier {
  /** Copies the objects to which a value of the document refers. Returns the value with references into the file. */
  copy(value: PDFObject): PDFObject
}

/**
 * Copies objects of one document into a file, each after those to which it refers: equal objects then have equal
 * bytes, and the file contains them once. Streams are copied as they are.
 *
 * The copier changes the objects of the document.
 */
export function copyObjects(from: PDFContext, to: ObjectFile, fontTags: FontTags): ObjectCopier {
  const copies = new Map<PDFRef, PDFRef | undefined>()

  const copy = (value: PDFObject): PDFObject => {
    if (value instanceof PDFRef) return copyRef(value)
    if (value instanceof PDFDict) replaceValues(value)
    if (value instanceof PDFRawStream) {
      // The length may be a reference. Writing the stream sets it.
      value.dict.delete(PDFName.of('Length'))
      replaceValues(value.dict)
    }
    if (value instanceof PDFArray) for (const [index, item] of value.asArray().entries()) value.set(index, copy(item))
    return value
  }

  const replaceValues = (dict: PDFDict): void => {
    for (const [key, value] of dict.entries()) dict.set(key, copy(value))
  }

  const copyRef = (ref: PDFRef): PDFRef => {
    const known = copies.get(ref)
    if (known !== undefined) return known
    // Without this check, a cycle would never end. Print files have cycles only through `Parent` of pages.
    if (copies.has(ref)) throw new Error(`Object ${ref} of a print file refers to itself`)
    copies.set(ref, undefined)
    const object = from.lookup(ref)
    if (object === undefined) throw new Error(`Object ${ref} of a print file is missing`)
    const copied = copy(object)
    const tag = fontTags.apply(copied)
    const target = to.add(copied)
    fontTags.note(target, tag)
    copies.set(ref, target)
    return target
  }

  return { copy }
}
