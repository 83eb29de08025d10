import {
  ParseSpeeds,
  type PDFContext,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFPage,
  PDFRawStream,
  PDFRef,
} from '@cantoo/pdf-lib'
import type { PrintImage } from '../images/print-image.ts'
import { addActualText, addGroupText, type DrawnText, formsDrawn } from './actual-text.ts'
import { createColorSpaces, tagDeviceColors } from './color-spaces.ts'
import { replacePlaceholderImages } from './images.ts'
import { declarePdfX } from './pdf-x.ts'
import { setBlendingSpace } from './transparency.ts'
import type { PrintMetadata } from './xmp.ts'

/** A page: its trim size in points, the bleed on all sides, and the texts on the page in drawing order. */
export type PrintPage = {
  widthPt: number
  heightPt: number
  bleedPt: number
  texts: readonly DrawnText[]
  /** Functions that add content after the boxes of the page are set, in this order. */
  decorators: readonly PageDecorator[]
}

/**
 * Adds content to a page that a canvas cannot draw. The existing content is enclosed in `q` and `Q`, so an appended
 * content stream starts with the default graphics state: in points from the bottom left of the MediaBox, which is the
 * box with the bleed.
 */
export type PageDecorator = (page: PDFPage) => void

export type FinishOptions = Omit<PrintMetadata, 'title'> & {
  /** The title, in ASCII. Defaults to the title of a print file. */
  title?: string
  pages: readonly PrintPage[]
  /** The original images, in the order of the placeholder images. */
  images: readonly PrintImage[]
  /** The ICC output profile. Defaults to sRGB. */
  outputProfile?: Buffer | undefined
}

/**
 * Turns a PDF that Skia drew without compression and with placeholder images into a print file that conforms to
 * PDF/X-4. Adds the original images, page boxes (ISO 32000-1, section 14.11.2), defined colours and metadata with the
 * content hash, and compresses the streams.
 *
 * The same input gives the same bytes, at any time and on any computer.
 */
export async function finishPdf(skiaPdf: Uint8Array, options: FinishOptions): Promise<Uint8Array> {
  const pdf = await PDFDocument.load(skiaPdf, { updateMetadata: false, parseSpeed: ParseSpeeds.Fastest })
  const { context } = pdf
  const colors = createColorSpaces(context)
  options.pages.forEach((page, index) => {
    setBoxes(pdf.getPage(index), page)
    setContent(pdf.getPage(index), page)
    for (const decorate of page.decorators) decorate(pdf.getPage(index))
  })
  compressStreams(context)
  replacePlaceholderImages(context, options.images, colors)
  tagDeviceColors(context, colors)
  for (const page of pdf.getPages()) setBlendingSpace(page, colors)
  const { title = `Print file ${options.contentHash.slice(0, 12)}` } = options
  declarePdfX(context, { ...options, title }, options.outputProfile)
  // With an infinite number of objects per tick, writing never waits for a timer.
  return pdf.save({ useObjectStreams: false, updateFieldAppearances: false, objectsPerTick: Number.POSITIVE_INFINITY })
}

/**
 * Compresses the streams in plain JavaScript. Skia does not compress them, because its zlib gives other bytes on other
 * processors.
 */
function compressStreams(context: PDFContext) {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream) || object.dict.has(PDFName.of('Filter'))) continue
    const compressed = context.flateStream(object.contents)
    for (const [key, value] of object.dict.entries()) {
      if (key !== PDFName.of('Length')) compressed.dict.set(key, value)
    }
    context.assign(ref, compressed)
  }
}

function setBoxes(page: PDFPage, { widthPt, heightPt, bleedPt }: PrintPage) {
  const box = (inset: number) => {
    const corners = [inset, inset, widthPt + 2 * bleedPt - inset, heightPt + 2 * bleedPt - inset]
    return page.doc.context.obj(corners.map((value) => Math.round(value * 1e4) / 1e4))
  }
  page.node.set(PDFName.of('MediaBox'), box(0))
  page.node.set(PDFName.of('BleedBox'), box(0))
  page.node.set(PDFName.of('TrimBox'), box(bleedPt))
}

function setContent(page: PDFPage, { texts }: PrintPage) {
  const { node } = page
  const { context } = page.doc
  const ref = node.get(PDFName.of('Contents'))
  const stream = context.lookup(ref)
  if (!(ref instanceof PDFRef) || !(stream instanceof PDFRawStream)) throw new Error('A page has no content')
  const content = textOf(stream)
  markGroups(page, content, texts)
  const own = texts.filter(({ group }) => group === undefined)
  const marked = addActualText(content, own)
  context.assign(ref, context.stream(Buffer.from(`q\n${marked}\nQ\n`, 'latin1')))
}

function markGroups({ node, doc: { context } }: PDFPage, content: string, texts: readonly DrawnText[]) {
  const groups = Map.groupBy(texts, ({ group }) => group)
  groups.delete(undefined)
  const left = [...groups.values()]
  const xObjects = node.Resources()?.lookupMaybe(PDFName.of('XObject'), PDFDict)
  for (const { name, ...place } of left.length === 0 ? [] : formsDrawn(content)) {
    const ref = xObjects?.get(PDFName.of(name))
    const form = context.lookup(ref)
    const isForm = form instanceof PDFRawStream && form.dict.get(PDFName.of('Subtype')) === PDFName.of('Form')
    if (!(ref instanceof PDFRef) || !isForm) continue
    const marked = addGroupText(textOf(form), place, left)
    context.assign(ref, PDFRawStream.of(form.dict, Buffer.from(marked, 'latin1')))
  }
}

function textOf({ contents }: PDFRawStream): string {
  return Buffer.from(contents).toString('latin1')
}
