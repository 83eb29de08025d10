import {
  type PDFContext,
  PDFDict,
  PDFHeader,
  PDFHexString,
  PDFName,
  type PDFObject,
  type PDFRawStream,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib'
import { readProfile } from '../color/read-profile.ts'
import { SRGB_OUTPUT_PROFILE } from '../color/srgb.ts'
import { FIXED_DATE, PDFX_VERSION, type PrintMetadata, xmpPacket } from './xmp.ts'

/**
 * Declares a file as PDF/X-4 (ISO 15930-7:2010), with version, metadata and output intent.
 *
 * @param outputProfile ICC profile of the printing condition; defaults to sRGB. The content is sRGB in either case, and
 * the printer converts it for the paper and press
 */
export function declarePdfX(context: PDFContext, metadata: PrintMetadata, outputProfile: Buffer | undefined): void {
  context.header = PDFHeader.forVersion(1, 6)
  const catalog = context.lookup(context.trailerInfo.Root, PDFDict)
  catalog.set(PDFName.of('Metadata'), context.register(pdfXMetadata(context, metadata)))
  const intent = outputIntent(context, outputProfile ?? SRGB_OUTPUT_PROFILE)
  catalog.set(PDFName.of('OutputIntents'), context.obj([intent]))
  if (!(context.trailerInfo.Info instanceof PDFRef)) throw new Error('The PDF has no document information')
  context.assign(context.trailerInfo.Info, context.obj(pdfXInformation(metadata)))
  const id = PDFHexString.of(metadata.contentHash.slice(0, 32))
  context.trailerInfo.ID = context.obj([id, id])
}

const COMPONENTS = { GRAY: 1, RGB: 3, CMYK: 4 } as const

/**
 * Builds an output intent (ISO 32000-1, section 14.11.5). The file contains the profile, so the printing condition
 * needs no registered name.
 */
function outputIntent(context: PDFContext, profile: Buffer): PDFRef {
  const known = readProfile(profile)
  if (known === undefined) throw new Error('The output profile cannot be read')
  const name = PDFHexString.fromText(known.description)
  const stream = context.flateStream(profile, { N: COMPONENTS[known.colorSpace] })
  return context.register(
    context.obj({
      Type: 'OutputIntent',
      S: 'GTS_PDFX',
      OutputConditionIdentifier: PDFString.of('Custom'),
      OutputCondition: name,
      Info: name,
      DestOutputProfile: context.register(stream),
    }),
  )
}

/** Creates the stream with the XMP metadata. Readers find it in a file without a PDF parser, so it is not compressed. */
export function pdfXMetadata(context: PDFContext, metadata: PrintMetadata): PDFRawStream {
  return context.stream(Buffer.from(xmpPacket(metadata)), { Type: 'Metadata', Subtype: 'XML' })
}

/** Repeats the XMP metadata for readers that support only the document information dictionary. */
export function pdfXInformation({ title, producer, contentHash }: PrintMetadata): Record<string, PDFObject> {
  return {
    Title: PDFString.of(title),
    Producer: PDFString.of(producer),
    CreationDate: PDFString.of(FIXED_DATE.pdf),
    ModDate: PDFString.of(FIXED_DATE.pdf),
    Trapped: PDFName.of('False'),
    GTS_PDFXVersion: PDFString.of(PDFX_VERSION),
    PlatenContentHash: PDFString.of(contentHash),
  }
}
