import { hash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { checkLayout } from './checks/layout.ts'
import { type FontEmbedding, readEmbedding } from './embedding.ts'
import { checkTables } from './glyphs.ts'
import { type FontNaming, readNaming } from './naming.ts'
import { scriptsOf } from './scripts.ts'
import { FONT_LIMITS, tooLarge, unreadable } from './sfnt/refuse.ts'
import { buildSfnt, type FontTables, keptTables, tableView } from './sfnt/tables.ts'
import { tryFont } from './try-font.ts'
import { unpackTables } from './unpack.ts'
import { withoutHints } from './without-hints.ts'

export type FontMediaType = 'font/ttf' | 'font/otf'

/**
 * The properties of an uploaded font. Apart from the naming, they describe the font as it is stored: unpacked and
 * reduced to the tables that drawing reads.
 */
export type FontInfo = FontNaming & {
  mediaType: FontMediaType
  /** ISO 15924 codes of the scripts that the font supports. */
  scripts: string[]
  embedding: FontEmbedding
  bytes: number
  /** The SHA-256 of the stored font in hexadecimal. */
  sha256: string
}

/**
 * Detects the type of a font file from its content. Checks whether the font may be embedded, and tries to lay out and
 * draw texts with it. Writes the font to `unpackedPath` in the form in which it is stored. The same file always gives
 * the same bytes.
 *
 * Rejects with `Refused`.
 */
export async function inspectFont({ path, unpackedPath }: { path: string; unpackedPath: string }): Promise<FontInfo> {
  const { size } = await stat(path)
  if (size === 0) throw unreadable('The file is empty.')
  if (size > FONT_LIMITS.bytes) throw tooLarge(`The file is larger than ${FONT_LIMITS.bytes / 1024 / 1024} MiB.`)
  const { sfnt, info } = await openFont(await readFile(path)).catch((error: unknown) => {
    // A RangeError means that an offset points beyond the end of a table.
    throw error instanceof RangeError ? unreadable('The font is damaged or truncated.') : error
  })
  await writeFile(unpackedPath, sfnt)
  return info
}

async function openFont(file: Uint8Array): Promise<{ sfnt: Uint8Array; info: FontInfo }> {
  const tables = await unpackTables(file)
  const kind = checkTables(tables)
  const embedding = readEmbedding(permissionOf(tables))
  const naming = readNaming(tables)
  const kept = withoutHints(keptTables(tables, kind))
  const comparisons = checkLayout(kept)
  const sfnt = buildSfnt(kept)
  const scripts = scriptsOf(tryFont(sfnt, comparisons))
  const mediaType = kind === 'glyf' ? 'font/ttf' : 'font/otf'
  return { sfnt, info: { ...naming, mediaType, scripts, embedding, bytes: sfnt.length, sha256: hash('sha256', sfnt) } }
}

function permissionOf(tables: FontTables): { fsType: number; version: number } {
  const os2 = tableView(tables, 'OS/2')
  return { version: os2.getUint16(0), fsType: os2.getUint16(8) }
}
