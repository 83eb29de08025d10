import type { DesignDocument, FontStyleName, PrintArea } from '../drawing/index.ts'

/** An uploaded image in a job. The renderer reads all other properties from the file. */
export type JobImage = {
  path: string
  /** The SHA-256 in hexadecimal. The job fails if the content of the file has another hash. */
  sha256: string
}

/** An output profile in a job: an ICC file that was checked when it was uploaded. */
export type JobProfile = {
  path: string
  /** The SHA-256 in hexadecimal. The job fails if the content of the file has another hash. */
  sha256: string
}

/** An uploaded font in a job: TrueType or OpenType, checked when it was uploaded. */
export type JobFont = {
  family: string
  weight: number
  style: FontStyleName
  path: string
  /** The SHA-256 in hexadecimal. The job fails if the content of the file has another hash. */
  sha256: string
}

export type PrintJob = {
  document: DesignDocument
  printAreas: readonly PrintArea[]
  images: Readonly<Record<string, JobImage>>
  /** The uploaded fonts that the document names. Layout tries them in this order, before the installed fonts. */
  fonts?: readonly JobFont[]
  /** Values of placeholders. Drawing shows a placeholder without a value as written, with its braces. */
  data?: Readonly<Record<string, string>>
}

export type HashedPrintJob = PrintJob & {
  /**
   * SHA-256 in hexadecimal of everything that determines the print file, which `contentHash` computes. The print file
   * contains the hash.
   */
  contentHash: string
  /** The output profile. Defaults to sRGB. */
  outputProfile?: JobProfile
}

/**
 * A PDF that the service makes for operators and that is not a print file, such as a pick list. It has one page for
 * each print area.
 */
export type SheetJob = PrintJob & {
  /** The title of the PDF, in ASCII. */
  title: string
}

export type PreviewFormat = 'png' | 'webp'

export type PreviewJob = PrintJob & {
  printAreaId: string
  /** The width of the preview in pixels, from 16 to 2000. The proportions of the print area determine the height. */
  widthPx: number
  format: PreviewFormat
}

export type RenderedFile = {
  kind: 'print' | 'preview'
  /** The print area, for a preview. A print file contains all print areas, one on each page. */
  printAreaId?: string
  mediaType: 'application/pdf' | 'image/webp'
  path: string
  bytes: number
  /** The SHA-256 of the file in hexadecimal. */
  sha256: string
  /** The trim size of the print area of a preview, or of the first page of a print file. */
  widthMm?: number
  heightMm?: number
  /** The number of pages of a print file. */
  pages?: number
}
