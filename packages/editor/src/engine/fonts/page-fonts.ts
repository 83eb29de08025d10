import {
  type DesignDocument,
  type FontFamily,
  joinFamilies,
  layerFonts,
  listFamilies,
  lockedFamilies,
  type PlaceholderData,
  type TextLayer,
} from '@platen/drawing'
import {
  createFontBook,
  type FontBook,
  type FontFile,
  filesClaiming,
  fillPlaceholders,
  joinFontBooks,
  layoutText,
} from '@platen/drawing/engine'
import {
  createFontFiles,
  FontFileMissing,
  type FontFilesOfPage,
  type FontProblem,
  type RegisterFont,
} from './font-files.ts'
import type { FontSource, SourceFile } from './font-source.ts'

/** The fonts of a page. Files arrive when a document needs them. */
export interface PageFonts {
  /** All families that a text can name, uploaded ones first. */
  readonly families: readonly FontFamily[]
  /** The files that could not be loaded so far. The page tries them again with increasing delays. */
  readonly problems: readonly FontProblem[]
  /**
   * Loads all files that the texts of a document need. Resolves when they have arrived or failed.
   * @returns the problems of all files; empty if the document can be drawn completely
   */
  ready(document: DesignDocument, data?: PlaceholderData): Promise<readonly FontProblem[]>
  isReady(document: DesignDocument, data?: PlaceholderData): boolean
  /** Calls `listener` after a file has arrived or failed, or the list of files has changed. Returns its removal. */
  onChange(listener: () => void): () => void
  /** Lists the files again, after the caller has uploaded or deleted a font. */
  refresh(): Promise<void>
  /** Tries failed files now. */
  retry(): void
  /** Frees the fonts when the editor is closed. */
  dispose(): void
  /**
   * Calls `work` with the font book of a document. If a file is missing, starts its download and returns undefined; the
   * listeners are called when it has arrived.
   */
  attempt<Result>(document: DesignDocument, work: (book: FontBook) => Result): Result | undefined
}

/** Lists the fonts of a source. Downloads no font files. */
export async function openPageFonts(source: FontSource, register: RegisterFont = registerInPage): Promise<PageFonts> {
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const files = createFontFiles(register, notify)
  let listing = await list(source, files)

  function missingOf(document: DesignDocument, data: PlaceholderData | undefined): Set<SourceFile> {
    const book = listing.bookFor(document)
    return new Set(textsOf(document, data).flatMap((layer) => missingForText(layer, book, files, listing.sources)))
  }

  return {
    get families() {
      return listing.families
    },
    get problems() {
      return files.problems()
    },
    async ready(document, data) {
      for (;;) {
        const missing = [...missingOf(document, data)].filter((file) => !files.hasFailed(file))
        if (missing.length === 0) return files.problems()
        await Promise.all(missing.map(files.loadFirst))
      }
    },
    isReady: (document, data) => missingOf(document, data).size === 0,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async refresh() {
      listing = await list(source, files)
      notify()
    },
    retry: files.retry,
    dispose: files.dispose,
    attempt(document, work) {
      try {
        return work(listing.bookFor(document))
      } catch (error) {
        if (!(error instanceof FontFileMissing)) throw error
        void files.loadFirst(error.file)
        return undefined
      }
    },
  }
}

interface Listing {
  families: readonly FontFamily[]
  sources: ReadonlyMap<FontFile, SourceFile>
  bookFor(document: DesignDocument): FontBook
}

async function list(source: FontSource, files: FontFilesOfPage): Promise<Listing> {
  const [installed, uploaded] = await Promise.all([source.listInstalled(), source.listUploaded()])
  const sources = new Map<FontFile, SourceFile>()
  const toFile = (file: SourceFile): FontFile => {
    const { family, weight, style, scripts, ranges, category } = file
    const more = category === undefined ? {} : { category }
    const fontFile = { family, weight, style, scripts, ranges, ...more, load: () => files.require(file) }
    sources.set(fontFile, file)
    return fontFile
  }
  const installedBook = createFontBook(installed.map(toFile))
  const uploadedFiles = uploaded.map(toFile)
  const books = new Map<string, FontBook>()
  return {
    families: joinFamilies(listFamilies(uploadedFiles), installedBook.families),
    sources,
    // As in the service, a book has only the uploaded families that the document names, and none of a
    // locked text. The first family of a book is
    // the fallback for unknown families.
    bookFor(document) {
      const named = new Set(
        document.placements.flatMap(({ layers }) => layers.flatMap(layerFonts)).map(({ family }) => family),
      )
      const locked = lockedFamilies(document)
      const own = uploadedFiles.filter(({ family }) => named.has(family) && !locked.has(family))
      if (own.length === 0) return installedBook
      const key = JSON.stringify([...new Set(own.map(({ family }) => family))])
      const book = books.get(key) ?? joinFontBooks(createFontBook(own), installedBook)
      books.set(key, book)
      return book
    },
  }
}

function textsOf({ placements }: DesignDocument, data: PlaceholderData | undefined): TextLayer[] {
  return placements.flatMap(({ layers }) =>
    layers.flatMap((layer) => (layer.type === 'text' ? [{ ...layer, text: fillPlaceholders(layer.text, data) }] : [])),
  )
}

/** Returns the missing files of a text: those that it needs by their ranges, or else the first that layout requires. */
function missingForText(
  layer: TextLayer,
  book: FontBook,
  files: FontFilesOfPage,
  sources: Listing['sources'],
): SourceFile[] {
  try {
    layoutText(layer, book)
    return []
  } catch (error) {
    if (!(error instanceof FontFileMissing)) throw error
    const faces = book.facesFor({ family: layer.fontFamily, weight: layer.fontWeight, style: layer.fontStyle })
    const claimed = filesClaiming(faces, layer.text).flatMap((file) => sources.get(file) ?? [])
    return [error.file, ...claimed.filter((file) => !files.isLoaded(file))]
  }
}

async function registerInPage(family: string, bytes: Uint8Array<ArrayBuffer>): Promise<() => void> {
  const face = new FontFace(family, bytes)
  await face.load()
  document.fonts.add(face)
  return () => {
    document.fonts.delete(face)
  }
}
