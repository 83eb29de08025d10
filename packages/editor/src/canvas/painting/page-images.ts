import { type Asset, type Platen, PlatenError } from '@platen/client'
import type { PageImage } from '../../engine/index.ts'

/** The longest sides in pixels. The first is quick, the second is about what a stage shows. */
const SIZES = [400, 1600] as const
const RETRY_MS = 5_000

/** The pictures of assets as the page draws them: a small one at first, then a sharp one. */
export interface PageImages {
  /** By asset id. The same object until a picture arrives. */
  current(): ReadonlyMap<string, PageImage>
  /** Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void
  /** Loads the pictures that are not there yet. */
  request(assets: readonly Asset[]): void
  /** Ends all downloads and frees the pictures. */
  dispose(): void
}

export function createPageImages(client: Platen): PageImages {
  let images: ReadonlyMap<string, PageImage> = new Map()
  const requested = new Set<string>()
  const ended = new AbortController()
  const listeners = new Set<() => void>()

  const keep = (asset: Asset, source: ImageBitmap): void => {
    if (ended.signal.aborted) {
      source.close()
      return
    }
    const before = images.get(asset.id)?.source
    images = new Map(images).set(asset.id, { source, widthPx: asset.widthPx, heightPx: asset.heightPx })
    for (const listener of [...listeners]) listener()
    if (before instanceof ImageBitmap) before.close()
  }
  const load = async (asset: Asset): Promise<void> => {
    // The service decodes the upload, because browsers show TIFF not at all, and CMYK in other colours than print.
    for (const size of SIZES) {
      const picture = await client.assets.getThumbnail(asset.id, { size }, { signal: ended.signal })
      keep(asset, await createImageBitmap(await picture.blob()))
      if (Math.max(asset.widthPx, asset.heightPx) <= size) return
    }
  }
  return {
    current: () => images,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    request(assets) {
      for (const asset of assets) {
        if (requested.has(asset.id)) continue
        requested.add(asset.id)
        load(asset).catch((error: unknown) => {
          if (ended.signal.aborted || (error instanceof PlatenError && error.status === 404)) return
          // The layer stays without its picture, or with the thumbnail, until the next request.
          setTimeout(() => requested.delete(asset.id), RETRY_MS)
        })
      }
    },
    dispose() {
      ended.abort()
      for (const { source } of images.values()) if (source instanceof ImageBitmap) source.close()
      images = new Map()
    },
  }
}
