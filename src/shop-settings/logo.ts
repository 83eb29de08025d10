import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createThumbnails, type DrawThumbnail } from '../assets/index.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { Shop } from './shop.ts'

type Logo = NonNullable<Shop['shopLogo']>

/** The logo of the API, whether an administrator uploaded it or the environment names its file. */
export interface Logos {
  /** Names the content of a logo, so that caches may keep it under its URL. */
  idOf(logo: Logo): string
  /** Draws a logo as WebP. */
  draw(logo: Logo, account: string, longestSidePx: number): Promise<Uint8Array>
}

export function createLogos(deps: { storage: Pick<Storage, 'localPath'>; drawThumbnail: DrawThumbnail }): Logos {
  const hashes = new Map<string, string>()
  /** The file never changes while the service runs. */
  const hashOf = (path: string): string => {
    const hash = hashes.get(path) ?? createHash('sha256').update(readFileSync(path)).digest('hex')
    hashes.set(path, hash)
    return hash
  }
  const uploaded = createThumbnails({ storage: deps.storage, draw: deps.drawThumbnail })
  const files = createThumbnails({ storage: { localPath: async (path) => path }, draw: deps.drawThumbnail })
  return {
    idOf: (logo) => ('id' in logo ? logo.id : hashOf(logo.path).slice(0, 16)),
    draw: (logo, account, longestSidePx) =>
      'id' in logo
        ? uploaded.read({ ownerId: 'shop', sha256: logo.sha256 }, account, longestSidePx)
        : files.read({ ownerId: 'shop', sha256: logo.path }, account, longestSidePx),
  }
}
