import type { Readable } from 'node:stream'
import type { Storage } from '../../platform/storage/index.ts'
import { MAX_ZIP_BYTES, type ZipEntry, zipArchive, zipBytes } from '../../platform/zip/zip-archive.ts'
import type { PrintFile } from './collect.ts'
import { printFileProblems } from './problems.ts'

/** The longest part of a name that is the SKU. */
const SKU_LENGTH = 60

/**
 * Streams an archive with print files and a manifest. Files are opened when the client has read the ones before them.
 *
 * @throws `print_files_too_large`
 */
export function archivePrintFiles(
  { storage, now }: { storage: Pick<Storage, 'open'>; now: Date },
  files: readonly PrintFile[],
): { stream: Readable; bytes: number } {
  const named = files.map((one) => ({ ...one, path: pathOf(one) }))
  const manifest = Buffer.from(`${JSON.stringify(toManifest(named, now), null, 2)}\n`)
  const entries: ZipEntry[] = [
    ...named.map(({ path, file: { bytes, sha256 } }) => ({
      path,
      bytes,
      open: async () => (await storage.open(sha256)).stream,
    })),
    { path: 'manifest.json', bytes: manifest.length, open: async () => [manifest] },
  ]
  const bytes = zipBytes(entries)
  if (bytes > MAX_ZIP_BYTES)
    throw printFileProblems.print_files_too_large({ members: { bytes, maxBytes: MAX_ZIP_BYTES } })
  return { stream: zipArchive(entries, now), bytes }
}

/**
 * Returns the path of a file in the archive, such as `PL-7KQ4-M2XD/02-CARD-MATT-x100.pdf`. File systems and shells take
 * every part as it is.
 */
function pathOf({ orderNumber, position, sku, quantity, file }: PrintFile): string {
  // An item has one print file. If a later renderer makes several, their ids distinguish them.
  const parts = [String(position).padStart(2, '0'), safePart(sku ?? ''), file.id === 'print' ? '' : safePart(file.id)]
  return `${orderNumber}/${[...parts, `x${quantity}`].filter((part) => part !== '').join('-')}.pdf`
}

function safePart(text: string): string {
  const ascii = text.normalize('NFKD').replaceAll(/[^A-Za-z0-9]+/g, '-')
  return ascii.slice(0, SKU_LENGTH).replaceAll(/^-+|-+$/g, '')
}

function toManifest(files: readonly (PrintFile & { path: string })[], now: Date) {
  return {
    createdAt: now.toISOString(),
    files: files.map(({ path, file: { pages = null, bytes, sha256 }, ...item }) => ({
      ...{ path, ...item },
      ...{ pages, bytes, sha256 },
    })),
  }
}
