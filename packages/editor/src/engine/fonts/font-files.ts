import type { SourceFile } from './font-source.ts'

/** A font file that cannot be loaded at the moment. */
export interface FontProblem {
  code: 'fontUnavailable'
  family: string
  weight: number
  style: 'normal' | 'italic'
  /** How often the download has failed. */
  attempts: number
}

/** Thrown by layout that needs a file that is not in the page yet. */
export class FontFileMissing extends Error {
  override readonly name = 'FontFileMissing'
  readonly file: SourceFile

  constructor(file: SourceFile) {
    super(`The font file ${file.key} is not loaded`)
    this.file = file
  }
}

/** The content of a file. Its name takes the place of a hash, so it is unique in the page. */
export interface LoadedFile {
  bytes: Uint8Array
  sha256: string
}

interface Entry {
  number: number
  loaded?: LoadedFile
  loading?: Promise<void>
  attempts: number
  timer?: ReturnType<typeof setTimeout>
}

/** Registers a font with the page under a family name, so that canvases can draw with it. Resolves to what undoes this. */
export type RegisterFont = (family: string, bytes: Uint8Array<ArrayBuffer>) => Promise<() => void>

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 60_000

/**
 * The font files of a page. A file is downloaded when it is needed first, and registered with the page before layout can
 * use it. A failed download is repeated with increasing delays.
 *
 * @param onChange called when a file has arrived or failed
 */
export function createFontFiles(register: RegisterFont, onChange: () => void) {
  const entries = new Map<string, Entry>()
  const files = new Map<string, SourceFile>()
  const registered: (() => void)[] = []
  let isDisposed = false
  // Two editors of a page may show designs of two services, whose files differ.
  const page = crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36).padStart(8, '0')

  function entryOf(file: SourceFile): Entry {
    const known = entries.get(file.key)
    if (known !== undefined) return known
    const entry = { number: entries.size, attempts: 0 }
    entries.set(file.key, entry)
    files.set(file.key, file)
    return entry
  }

  async function download(file: SourceFile, entry: Entry): Promise<void> {
    try {
      const bytes = await file.read()
      const sha256 = `${page}-${String(entry.number).padStart(11, '0')}`
      const unregister = await register(`platen-${sha256}`, bytes)
      if (isDisposed) unregister()
      else registered.push(unregister)
      entry.loaded = { bytes, sha256 }
      entry.attempts = 0
    } catch {
      entry.attempts += 1
      const delay = Math.min(FIRST_RETRY_MS * 2 ** (entry.attempts - 1), LAST_RETRY_MS)
      if (!isDisposed) entry.timer = setTimeout(() => load(file), delay)
    }
    delete entry.loading
    onChange()
  }

  /** Downloads a file unless it is in the page. Resolves when the download has succeeded or failed. */
  function load(file: SourceFile): Promise<void> {
    const entry = entryOf(file)
    if (entry.loaded !== undefined) return Promise.resolve()
    clearTimeout(entry.timer)
    entry.loading ??= download(file, entry)
    return entry.loading
  }

  return {
    load,
    /** Downloads a file unless it is in the page or has failed. Failed files are repeated later. */
    loadFirst(file: SourceFile): Promise<void> {
      const { attempts, loading } = entryOf(file)
      return attempts > 0 ? (loading ?? Promise.resolve()) : load(file)
    },
    isLoaded: (file: SourceFile): boolean => entryOf(file).loaded !== undefined,
    hasFailed: (file: SourceFile): boolean => entryOf(file).attempts > 0,
    /** @throws FontFileMissing if the file is not in the page */
    require(file: SourceFile): LoadedFile {
      const { loaded } = entryOf(file)
      if (loaded === undefined) throw new FontFileMissing(file)
      return loaded
    },
    retry(): void {
      for (const [key, { attempts }] of entries) {
        const file = files.get(key)
        if (attempts > 0 && file !== undefined) void load(file)
      }
    },
    /** Takes the fonts from the page, and ends the repetitions. */
    dispose(): void {
      isDisposed = true
      for (const { timer } of entries.values()) clearTimeout(timer)
      for (const unregister of registered.splice(0)) unregister()
    },
    problems(): FontProblem[] {
      return [...entries].flatMap(([key, { attempts }]) => {
        const file = files.get(key)
        if (attempts === 0 || file === undefined) return []
        const { family, weight, style } = file
        return [{ code: 'fontUnavailable' as const, family, weight, style, attempts }]
      })
    },
  }
}

export type FontFilesOfPage = ReturnType<typeof createFontFiles>
