import { ParseSpeeds, PDFArray, type PDFDict, PDFDocument, PDFName, type PDFObject } from '@cantoo/pdf-lib'

/** A print file that was read, with what a merged file takes from it. */
export interface PrintFile {
  context: PDFDocument['context']
  /** Page dictionaries without their parent and with the entries that they inherit. */
  pages: PDFDict[]
  outputIntents: PDFArray
  /** The optional layers, such as that of the cut path. */
  layers: PDFObject | undefined
}

/** Entries of a catalog that a merged file has itself, or takes over. */
const KNOWN_ENTRIES = new Set(['Type', 'Pages', 'Metadata', 'OutputIntents', 'OCProperties'])

const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'].map((key) => PDFName.of(key))

/**
 * Reads a print file.
 *
 * @throws Error if a merged file would lose something of it
 */
export async function openPrintFile(bytes: Uint8Array): Promise<PrintFile> {
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false, parseSpeed: ParseSpeeds.Fastest })
  const { catalog, context } = pdf
  for (const [key] of catalog.entries()) {
    if (!KNOWN_ENTRIES.has(key.decodeText())) throw new Error(`A merged file would lose ${key} of a print file`)
  }
  return {
    context,
    pages: pdf.getPages().map(({ node }) => {
      for (const key of INHERITED) {
        const value = node.has(key) ? undefined : node.getInheritableAttribute(key)
        if (value !== undefined) node.set(key, value)
      }
      node.delete(PDFName.of('Parent'))
      return node
    }),
    outputIntents: catalog.lookup(PDFName.of('OutputIntents'), PDFArray),
    layers: catalog.get(PDFName.of('OCProperties')),
  }
}
