import type { DesignDocument, FontStyleName, PrintArea } from '../drawing/index.ts'

/** An uploaded image in a job. All other properties are read from the file. */
export type JobImage = {
  path: string
  /** SHA-256 in hexadecimal. The job fails if the file has another hash. */
  sha256: string
}

/** An output profile in a job: an ICC file that was checked when it was uploaded. */
export type JobProfile = {
  path: string
  /** SHA-256 in hexadecimal. The job fails if the file has another hash. */
  sha256: string
}

/** An uploaded font in a job: TrueType or OpenType, checked when it was uploaded. */
export type JobFont = {
  family: string
  weight: number
  style: FontStyleName
  path: string
  /** SHA-256 in hexadecimal. The job fails if the file has another hash. */
  sha256: string
}

export type PrintJob = {
  document: DesignDocument
  printAreas: readonly PrintArea[]
  images: Readonly<Record<string, JobImage>>
  /** The uploaded fonts that the document names. Layout tries them before the installed fonts, in this order. */
  fonts?: readonly JobFont[]
  /** Values of placeholders. Drawing shows a placeholder without a value as written, with its braces. */
  data?: Readonly<Record<string, string>>
}

export type HashedPrintJob = PrintJob & {
  /**
   * SHA-256 in hexadecimal of everything that determines the print file; see `contentHash`. The print file contains the
   * hash.
   */
  contentHash: string
  /** The output profile. If left out, the output profile is sRGB. */
  outputProfile?: JobProfile
}

/** A PDF of the service that is not a print file, with one page for each print area. */
export type SheetJob = PrintJob & {
  /** The title of the PDF, in ASCII. */
  title: string
}

export type PreviewFormat = 'png' | 'webp'

export type PreviewJob = PrintJob & {
  printAreaId: string
  /** The width of the preview in pixels, 16 to 2000. The height follows from the print area. */
  widthPx: number
  format: PreviewFormat
}

export type RenderedFile = {
  kind: 'print' | 'preview'
  /** The print area of a preview. A print file has one page for each print area. */
  printAreaId?: string
  mediaType: 'application/pdf' | 'image/webp'
  path: string
  bytes: number
  /** SHA-256 in hexadecimal. */
  sha256: string
  /** The trim size of the print area of a preview, or of the first page of a print file. */
  widthMm?: number
  heightMm?: number
  /** The number of pages of a print file. */
  pages?: number
}
