import { PDFDocument } from '@cantoo/pdf-lib'

export type MergeJob = {
  /** The title of the PDF, in ASCII. */
  title: string
  pdfs: readonly Uint8Array[]
}

export async function mergeSheets({ title, pdfs }: MergeJob): Promise<Uint8Array> {
  const merged = await PDFDocument.create({ updateMetadata: false })
  merged.setTitle(title, { showInWindowTitleBar: true })
  for (const bytes of pdfs) {
    const pdf = await PDFDocument.load(bytes, { updateMetadata: false })
    for (const page of await merged.copyPages(pdf, pdf.getPageIndices())) merged.addPage(page)
  }
  return merged.save()
}
