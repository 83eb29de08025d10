import {
  ParseSpeeds,
  type PDFContext,
  type PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPage,
  PDFRawStream,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib'
import type { PrintImage } from '../images/print-image.ts'
import { addActualText, type DrawnText } from './actual-text.ts'
import { STAND_IN_HEIGHT, standInIndex } from './stand-ins.ts'

/** One page: its trim size in points, the bleed around it on all sides, and the texts drawn on it, in order. */
export type PrintPage = { widthPt: number; heightPt: number; bleedPt: number; texts: readonly DrawnText[] }

export type FinishOptions = {
  /** In page order. */
  pages: readonly PrintPage[]
  /** In the order of their stand-ins. */
  images: readonly PrintImage[]
  producer: string
  /** Hex SHA-256 of everything that determines the content. */
  contentHash: string
}

/**
 * Turns the PDF that Skia drew, uncompressed and with stand-ins for images, into a print file: originals in place of
 * stand-ins, page boxes (ISO 32000-1, 14.11.2), the content hash as identity, streams compressed.
 *
 * Nothing in it depends on the time or the machine: the same input gives the same bytes.
 */
export async function finishPdf(skiaPdf: Uint8Array, options: FinishOptions): Promise<Uint8Array> {
  const pdf = await PDFDocument.load(skiaPdf, { updateMetadata: false, parseSpeed: ParseSpeeds.Fastest })
  options.pages.forEach((page, index) => {
    setBoxes(pdf.getPage(index), page)
    setActualText(pdf.getPage(index), page)
  })
  compressStreams(pdf.context)
  replaceStandIns(pdf.context, options.images)
  setIdentity(pdf.context, options)
  // An infinite tick: writing never waits for a timer.
  return pdf.save({ useObjectStreams: false, updateFieldAppearances: false, objectsPerTick: Number.POSITIVE_INFINITY })
}

/**
 * Skia was told not to compress, because its zlib may take another path on another processor. This one is plain
 * JavaScript.
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

function replaceStandIns(context: PDFContext, images: readonly PrintImage[]) {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream) || object.dict.get(PDFName.of('Subtype')) !== PDFName.of('Image')) continue
    const image = images[standInIndex(numberIn(object.dict, 'Width'))]
    if (image === undefined || numberIn(object.dict, 'Height') !== STAND_IN_HEIGHT) {
      throw new Error('The PDF holds an image that is no stand-in')
    }
    context.assign(ref, imageObject(context, image, object.dict.get(PDFName.of('ColorSpace'))))
  }
}

function numberIn(dict: PDFDict, key: string): number {
  return dict.lookup(PDFName.of(key), PDFNumber).asNumber()
}

/** An image XObject (ISO 32000-1, 8.9.5). `srgb` is the colour space Skia gave the stand-in. */
function imageObject(context: PDFContext, image: PrintImage, srgb: PDFObject | undefined): PDFRawStream {
  const object = pixelObject(context, image, image.encoding)
  object.dict.set(PDFName.of('ColorSpace'), colorSpace(context, image, srgb))
  if (image.alpha !== undefined) {
    const mask = pixelObject(context, image.alpha, 'png-rows')
    mask.dict.set(PDFName.of('ColorSpace'), PDFName.of('DeviceGray'))
    object.dict.set(PDFName.of('SMask'), context.register(mask))
  }
  return object
}

type Pixels = Pick<PrintImage, 'bytes' | 'widthPx' | 'heightPx' | 'components'>

function pixelObject(context: PDFContext, image: Pixels, encoding: PrintImage['encoding']): PDFRawStream {
  const compression =
    encoding === 'jpeg'
      ? { Filter: 'DCTDecode' }
      : {
          Filter: 'FlateDecode',
          DecodeParms: { Predictor: 15, Colors: image.components, BitsPerComponent: 8, Columns: image.widthPx },
        }
  return context.stream(image.bytes, {
    Type: 'XObject',
    Subtype: 'Image',
    Width: image.widthPx,
    Height: image.heightPx,
    BitsPerComponent: 8,
    ...compression,
  })
}

function colorSpace(context: PDFContext, image: PrintImage, srgb: PDFObject | undefined): PDFObject {
  const { icc, components } = image
  if (icc !== undefined) {
    const profile = context.register(context.flateStream(icc, { N: components }))
    return context.obj([PDFName.of('ICCBased'), profile])
  }
  return components === 1 || srgb === undefined ? PDFName.of(components === 1 ? 'DeviceGray' : 'DeviceRGB') : srgb
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

function setActualText({ node, doc: { context } }: PDFPage, { texts }: PrintPage) {
  const ref = node.get(PDFName.of('Contents'))
  const content = context.lookup(ref)
  if (!(ref instanceof PDFRef) || !(content instanceof PDFRawStream)) throw new Error('A page has no content')
  const marked = addActualText(Buffer.from(content.contents).toString('latin1'), texts)
  context.assign(ref, context.stream(Buffer.from(marked, 'latin1')))
}

function setIdentity(context: PDFContext, { producer, contentHash }: FinishOptions) {
  const info = { Producer: PDFString.of(producer), PlatenContentHash: PDFString.of(contentHash) }
  if (!(context.trailerInfo.Info instanceof PDFRef)) throw new Error('The PDF has no document information')
  context.assign(context.trailerInfo.Info, context.obj(info))
  const id = PDFHexString.of(contentHash.slice(0, 32))
  context.trailerInfo.ID = context.obj([id, id])
}
