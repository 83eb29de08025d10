import { PDFiumLibrary } from '@hyzyla/pdfium'
import sharp from 'sharp'
import { readVerified } from '../images/read-verified.ts'

export type PrintPageJob = {
  path: string
  /** The SHA-256 in hexadecimal. The job fails if the content of the file has another hash. */
  sha256: string
  /** The number of the page, from 1. */
  page: number
  /** The width of the picture in pixels, from 16 to 2000. The proportions of the page determine the height. */
  widthPx: number
}

/** A strip of 1 mm by 1 m would otherwise need a gigabyte. */
const MOST_PIXELS = 8_000_000

let library: Promise<PDFiumLibrary> | undefined

/**
 * Draws a page of a print file with its bleed, as WebP. The picture comes from the file itself, by a reader that shares no
 * code with what has written it.
 *
 * @returns undefined if the file has fewer pages
 */
export async function drawPrintPage({ path, sha256, page, widthPx }: PrintPageJob): Promise<Uint8Array | undefined> {
  const bytes = await readVerified({ path, sha256 })
  library ??= PDFiumLibrary.init()
  const pdf = await (await library).loadDocument(bytes)
  try {
    if (page > pdf.getPageCount()) return undefined
    const opened = pdf.getPage(page - 1)
    const { originalWidth, originalHeight } = opened.getOriginalSize()
    const ratio = originalHeight / originalWidth
    const width = Math.max(1, Math.min(widthPx, Math.floor(Math.sqrt(MOST_PIXELS / ratio))))
    const { data } = await opened.render({
      ...{ width, height: Math.max(1, Math.round(width * ratio)) },
      render: ({ data, width, height }) =>
        sharp(data, { raw: { width, height, channels: 4 } })
          .removeAlpha()
          .webp({ quality: 90 })
          .toBuffer(),
    })
    return data
  } finally {
    pdf.destroy()
  }
}
