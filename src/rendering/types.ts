import type { DesignDocument, FontStyleName, PrintArea } from '../drawing/index.ts'

/** An uploaded image in a job. Everything else about it is read from the file. */
export type JobImage = {
  path: string
  /** Hex; the job fails if the file has another hash. */
  sha256: string
}

/** An output profile in a job: an ICC file that was checked at its upload. */
export type JobProfile = {
  path: string
  /** Hex; the job fails if the file has another hash. */
  sha256: string
}

/** An uploaded font in a job: TrueType or OpenType, checked at its upload. */
export type JobFont = {
  family: string
  weight: number
  style: FontStyleName
  path: string
  /** Hex; the job fails if the file has another hash. */
  sha256: string
}

export type PrintJob = {
  document: DesignDocument
  printAreas: readonly PrintArea[]
  images: Readonly<Record<string, JobImage>>
  /** The uploaded fonts that the document names. They come before the installed ones, in this order. */
  fonts?: readonly JobFont[]
  /** Values of placeholders. A placeholder without a value is drawn as it is written. */
  data?: Readonly<Record<string, string>>
}

export type HashedPrintJob = PrintJob & {
  /** Hex SHA-256 of all that determines the print file; see `contentHash`. The file contains it. */
  contentHash: string
  /** The output profile; sRGB if left out. */
  outputProfile?: JobProfile
}

/** Pages of the service's own documents: one for each print area. */
export type SheetJob = PrintJob & {
  /** The title of the PDF. ASCII. */
  title: string
}

export type PreviewFormat = 'png' | 'webp'

export type PreviewJob = PrintJob & {
  printAreaId: string
  /** 16 to 2000. The height follows from the print area. */
  widthPx: number
  format: PreviewFormat
}

export type RenderedFile = {
  kind: 'print' | 'preview'
  /** Of a preview. The print file has a page for each. */
  printAreaId?: string
  mediaType: 'application/pdf' | 'image/webp'
  path: string
  bytes: number
  /** Hex. */
  sha256: string
  /** Trim size: of the preview's print area, or of the print file's first page. */
  widthMm?: number
  heightMm?: number
  /** Of the print file. */
  pages?: number
}
