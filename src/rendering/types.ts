import type { DesignDocument, FontStyleName, PrintArea } from '../drawing/index.ts'

/** An uploaded image file as a job names it. All else about it is read from the file. */
export type JobImage = {
  path: string
  /** Hex; the print file is refused when the file is another. */
  sha256: string
}

/** The profile of a condition of output as a job names it: an ICC file, checked when it was uploaded. */
export type JobProfile = {
  path: string
  /** Hex; the job fails when the file is another. */
  sha256: string
}

/** An uploaded font file as a job names it: TrueType or OpenType, checked when it was uploaded. */
export type JobFont = {
  family: string
  weight: number
  style: FontStyleName
  path: string
  /** Hex; the job fails when the file is another. */
  sha256: string
}

/** A design to be drawn. */
export type PrintJob = {
  /** Normalized; see `normalizeDocument`. */
  document: DesignDocument
  /** All print areas of the product, in its order. */
  printAreas: readonly PrintArea[]
  /** The document's images by asset id. */
  images: Readonly<Record<string, JobImage>>
  /** The owner's fonts that the document names, before the installed ones, in this order. */
  fonts?: readonly JobFont[]
  /** Values of placeholders; one without a value is drawn as it is written. */
  data?: Readonly<Record<string, string>>
}

export type HashedPrintJob = PrintJob & {
  /** Hex SHA-256 of all that determines the print file; see `contentHash`. The file carries it. */
  contentHash: string
  /** The condition of output that the print file names; sRGB where there is none. */
  outputProfile?: JobProfile
}

/** Pages for people to read, of documents the service itself makes: a page for each print area. */
export type SheetJob = PrintJob & {
  /** As readers of PDF show it. ASCII. */
  title: string
}

export type PreviewFormat = 'png' | 'webp'

export type PreviewJob = PrintJob & {
  printAreaId: string
  /** 16 to 2000. The height follows from the print area. */
  widthPx: number
  format: PreviewFormat
}

/** A file that a print job made. */
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
