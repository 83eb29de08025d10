import { hash } from 'node:crypto'
import { PDFContext, type PDFDict, PDFHexString, PDFName, type PDFObject, type PDFRef } from '@cantoo/pdf-lib'
import { pdfXInformation, pdfXMetadata } from '../pdf-x.ts'
import type { PrintMetadata } from '../xmp.ts'
import { copyObjects } from './copy-objects.ts'
import { createFontTags } from './font-tags.ts'
import { startObjectFile } from './object-file.ts'
import type { PrintFile } from './print-file.ts'

/** A print file whose objects are in the merged file, and whose pages can be added. */
export interface CopiedFile {
  sha256: string
  /** Whether its printing condition is another one than that of the first copied file. */
  isOther: boolean
  /** Page dictionaries with references into the merged file. */
  pages: PDFDict[]
}

export interface MergedPdf {
  copy(sha256: string, file: PrintFile): CopiedFile
  /** Adds the pages of a file, under a title in the outline. */
  addPages(file: CopiedFile, title: string): void
  /** Writes the catalog. Returns the size of the file and the number of its pages. */
  end(about: Pick<PrintMetadata, 'title' | 'producer'>): { bytes: number; pages: number }
}

/**
 * Starts a PDF/X-4 file with the pages of several print files. It has one printing condition (ISO 15930-7, section
 * 6.2), and one entry in the outline for each added file.
 *
 * @param file descriptor of an empty file
 */
export function startMergedPdf(file: number): MergedPdf {
  const objects = startObjectFile(file)
  const context = PDFContext.create()
  const fontTags = createFontTags()
  const pageTree = objects.reserve()
  const pages: PDFRef[] = []
  const outline: { title: string; page: PDFRef }[] = []
  const sha256s: string[] = []
  let intents: PDFObject | undefined
  let layers: PDFObject | undefined

  const noteLayers = (copied: PDFObject): void => {
    layers ??= copied
    if (String(copied) !== String(layers)) throw new Error('The layers of the print files differ')
  }

  return {
    copy: (sha256, { context: source, ...from }) => {
      const { copy } = copyObjects(source, objects, fontTags)
      // Equal output intents are one object, so that they have equal references.
      const ownIntents = copy(from.outputIntents)
      intents ??= ownIntents
      if (from.layers !== undefined) noteLayers(copy(from.layers))
      const isOther = String(ownIntents) !== String(intents)
      return { sha256, isOther, pages: from.pages.map((page) => copy(page) as PDFDict) }
    },
    addPages: ({ sha256, pages: added }, title) => {
      sha256s.push(sha256)
      const refs = added.map((page) => {
        const ref = objects.reserve()
        page.set(PDFName.of('Parent'), pageTree)
        objects.put(ref, page)
        return ref
      })
      pages.push(...refs)
      if (refs[0] !== undefined) outline.push({ title, page: refs[0] })
    },
    end: (about) => {
      const metadata = { ...about, contentHash: hash('sha256', sha256s.join('\n')) }
      objects.put(pageTree, context.obj({ Type: 'Pages', Count: pages.length, Kids: pages }))
      const catalog = context.obj({
        ...{ Type: 'Catalog', Pages: pageTree, PageMode: 'UseOutlines', OutputIntents: intents },
        ...(layers === undefined ? {} : { OCProperties: layers }),
        Outlines: writeOutline(objects, context, outline),
        Metadata: objects.add(pdfXMetadata(context, metadata)),
      })
      const id = PDFHexString.of(metadata.contentHash.slice(0, 32))
      const bytes = objects.end({
        Root: objects.add(catalog),
        Info: objects.add(context.obj(pdfXInformation(metadata))),
        ID: context.obj([id, id]),
      })
      return { bytes, pages: pages.length }
    },
  }
}

function writeOutline(
  objects: ReturnType<typeof startObjectFile>,
  context: PDFContext,
  entries: readonly { title: string; page: PDFRef }[],
): PDFRef {
  const outline = objects.reserve()
  const refs = entries.map(() => objects.reserve())
  entries.forEach(({ title, page }, index) => {
    const [previous, own, next] = [refs[index - 1], refs[index], refs[index + 1]]
    const item = {
      ...{ Title: PDFHexString.fromText(title), Parent: outline, Dest: [page, 'Fit'] },
      ...(previous === undefined ? {} : { Prev: previous }),
      ...(next === undefined ? {} : { Next: next }),
    }
    if (own !== undefined) objects.put(own, context.obj(item))
  })
  const ends = refs.length === 0 ? {} : { First: refs[0], Last: refs.at(-1) }
  objects.put(outline, context.obj({ Type: 'Outlines', Count: refs.length, ...ends }))
  return outline
}
