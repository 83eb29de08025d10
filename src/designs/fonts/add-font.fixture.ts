import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../../test/ids.ts'
import type { Font } from '../../fonts/index.ts'
import { insertFont } from '../../fonts/store.ts'
import type { Workshop } from '../factory.ts'

/** Adds a font with the rules of `POST /fonts`. */
export async function addFont(
  { deps, db, clock }: Workshop,
  ownerId: string,
  bytes: Buffer,
  naming: Partial<Font> = {},
): Promise<Font> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const path = join(await deps.storage.createWorkDir(), 'font')
  await writeFile(path, bytes)
  await deps.storage.store({ path, sha256 })
  const font: Font = {
    ...{ id: newId('font'), ownerId, sha256, bytes: bytes.length, mediaType: 'font/ttf', embedding: 'installable' },
    ...{ family: 'Mine', weight: 400, style: 'normal', scripts: ['Latn'], createdAt: clock.now(), ...naming },
  }
  await db.transaction().execute((trx) => insertFont(trx, font))
  return font
}
