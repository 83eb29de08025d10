import { createHash } from 'node:crypto'
import { copyFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addShopAsset } from '../../assets/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Storage } from '../../platform/storage/index.ts'

export type PictureStorage = Pick<Storage, 'createWorkDir' | 'store'>

interface Picture {
  sha256: string
  bytes: number
  alt: string
}

/** The pictures of the sample products, in the order of the products. `scripts/sample-images.ts` draws them. */
const FILES: readonly [name: string, alt: string][] = [
  ['business-card', 'Two business cards of an architect, one dark blue with a logo and one cream with an address'],
  ['postcard', 'A postcard with hills at sunrise, and the address side of another one'],
  ['poster', 'A poster with coloured quarter circles and discs, held by two clips'],
  ['t-shirt', 'A white T-shirt with the print of a sunset over waves'],
  ['mug', 'A white mug with a pattern of coloured quarter circles and discs all around'],
]

/** The size that the script gives each picture. */
const SIZE = { widthPx: 1200, heightPx: 900 } as const

/** Stores the pictures, which must happen before a transaction refers to them. */
export async function storePictures(storage: PictureStorage): Promise<Picture[]> {
  const folder = await storage.createWorkDir()
  try {
    const pictures: Picture[] = []
    for (const [name, alt] of FILES) {
      const source = join(import.meta.dirname, `${name}.webp`)
      const content = await readFile(source)
      const sha256 = createHash('sha256').update(content).digest('hex')
      const path = join(folder, name)
      await copyFile(source, path)
      await storage.store({ path, sha256 })
      pictures.push({ sha256, bytes: content.byteLength, alt })
    }
    return pictures
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Records a stored picture as an image of the shop. Returns its id. */
export function addPicture(trx: Trx, { sha256, bytes }: Picture, now: Date): Promise<string> {
  const info = { mediaType: 'image/webp', ...SIZE, hasAlpha: false, colorSpace: 'srgb', orientation: 1 } as const
  return addShopAsset(trx, { ...info, sha256, bytes }, now)
}
