import { Readable } from 'node:stream'
import { Zip, ZipPassThrough } from 'fflate'

/** A file of an archive. */
export interface ZipEntry {
  /** Path in the archive, in ASCII, with `/` between folders. */
  path: string
  bytes: number
  /** Opens the content. Called when all earlier entries have been read. */
  open(): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>
}

/**
 * The largest archive. The format without ZIP64, which older programs cannot read, ends at 4 GiB; some of these
 * programs read only 2 GiB.
 */
export const MAX_ZIP_BYTES = 2 ** 31 - 1

/** The most entries of an archive without ZIP64. */
const MAX_ENTRIES = 2 ** 16 - 1

// Lengths in bytes without names (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.9, 4.3.12 and 4.3.16).
const LOCAL_HEADER = 30
const DATA_DESCRIPTOR = 16
const CENTRAL_HEADER = 46
const END_OF_DIRECTORY = 22

/** Returns the size of the archive that `zipArchive` writes. */
export function zipBytes(entries: readonly Pick<ZipEntry, 'path' | 'bytes'>[]): number {
  const ofEntry = ({ path, bytes }: Pick<ZipEntry, 'path' | 'bytes'>) =>
    LOCAL_HEADER + DATA_DESCRIPTOR + CENTRAL_HEADER + 2 * path.length + bytes
  return entries.reduce((total, entry) => total + ofEntry(entry), END_OF_DIRECTORY)
}

/**
 * Streams a ZIP archive with the entries in their order. The entries are not compressed, because print files already
 * are. Memory holds one piece of one entry and the names.
 *
 * The stream fails if an entry cannot be read or has another size than stated.
 */
export function zipArchive(entries: readonly ZipEntry[], modifiedAt: Date): Readable {
  if (entries.length > MAX_ENTRIES) throw new Error(`An archive has at most ${MAX_ENTRIES} entries`)
  return Readable.from(piecesOfArchive(entries, modifiedAt), { objectMode: false })
}

async function* piecesOfArchive(entries: readonly ZipEntry[], modifiedAt: Date): AsyncGenerator<Uint8Array> {
  // `fflate` calls back while it is called, so after each call the pieces are complete.
  let pieces: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error
    if (piece.length > 0) pieces.push(piece)
  })
  const taken = (): Uint8Array[] => {
    const ready = pieces
    pieces = []
    return ready
  }
  for (const { path, bytes, open } of entries) {
    const file = new ZipPassThrough(path)
    file.mtime = modifiedAt
    zip.add(file)
    let read = 0
    for await (const piece of await open()) {
      read += piece.length
      file.push(piece)
      yield* taken()
    }
    if (read !== bytes) throw new Error(`${path} has ${read} bytes instead of ${bytes}`)
    file.push(new Uint8Array(0), true)
    yield* taken()
  }
  zip.end()
  yield* taken()
}
