import type { Asset, Platen } from '@platen/client'
import type { PageImage } from '../../engine/index.ts'
import type { ShownImages } from '../../state/host.ts'
import { chooseSizes, type PictureSize, SMALL } from './picture-sizes.ts'

const RETRY_MS = 5_000
const PARALLEL_LOADS = 6
/** Pixels of all pictures together: 160 MB. */
const MOST_PIXELS = 40_000_000

/** The pictures of assets as the page draws them: a small one at first, then a sharp one. */
export interface PageImages extends ShownImages {
  /** Ends all downloads and frees the pictures. */
  dispose(): void
}

export interface PageImagesOptions {
  mostPixels?: number | undefined
  /** Decodes a picture. Default: `createImageBitmap`. */
  decode?: ((picture: Blob) => Promise<ImageBitmap>) | undefined
}

interface Picture {
  size: PictureSize
  bitmap: ImageBitmap
}

/**
 * Creates the pictures of one editor. The number of their pixels is limited: those that no view shows are freed, the
 * ones that were shown longest ago first. If a view shows too many, some of them stay small.
 */
export function createPageImages(client: Pick<Platen, 'assets'>, options: PageImagesOptions = {}): PageImages {
  const { mostPixels = MOST_PIXELS, decode = createImageBitmap } = options
  const views = new Map<object, readonly Asset[]>()
  /** The picture that was shown last is the last one. */
  const pictures = new Map<string, Picture>()
  const loading = new Set<string>()
  const failed = new Set<string>()
  const retries = new Set<ReturnType<typeof setTimeout>>()
  const ended = new AbortController()
  const listeners = new Set<() => void>()
  let images: ReadonlyMap<string, PageImage> = new Map()

  const shown = (): Asset[] => [...new Map([...views.values()].flat().map((asset) => [asset.id, asset])).values()]
  const pixels = (): number => [...pictures.values()].reduce((sum, { bitmap }) => sum + areaOf(bitmap), 0)

  const keep = (asset: Asset, picture: Picture): void => {
    const { id, widthPx, heightPx } = asset
    const before = pictures.get(id)
    pictures.set(id, picture)
    images = new Map(images).set(id, { source: picture.bitmap, widthPx, heightPx })
    for (const listener of [...listeners]) listener()
    before?.bitmap.close()
  }
  const free = (): void => {
    const used = new Set(shown().map(({ id }) => id))
    for (const [id, { bitmap }] of [...pictures]) {
      if (pixels() <= mostPixels) return
      if (used.has(id)) continue
      pictures.delete(id)
      images = new Map([...images].filter(([one]) => one !== id))
      bitmap.close()
    }
  }
  /** What is to load next: all pictures without any first. */
  const missing = (): [Asset, PictureSize][] => {
    const assets = shown()
    const sizes = chooseSizes(assets, mostPixels)
    const isTooMuch = pixels() > mostPixels
    const isOther = ({ id }: Asset): boolean => {
      const [has = 0, wanted = SMALL] = [pictures.get(id)?.size, sizes.get(id)]
      return has < wanted || (has > wanted && isTooMuch)
    }
    const open = assets.filter((asset) => !loading.has(asset.id) && !failed.has(asset.id) && isOther(asset))
    const isNew = ({ id }: Asset): boolean => !pictures.has(id)
    return [...open.filter(isNew), ...open.filter((asset) => !isNew(asset))].map((asset) => [
      asset,
      isNew(asset) ? SMALL : (sizes.get(asset.id) ?? SMALL),
    ])
  }
  const load = async (asset: Asset, size: PictureSize): Promise<void> => {
    // The service decodes the upload, because browsers show TIFF not at all, and CMYK in other colours than print.
    const response = await client.assets.getThumbnail(asset.id, { size }, { signal: ended.signal })
    const bitmap = await decode(await response.blob())
    if (ended.signal.aborted) bitmap.close()
    else keep(asset, { bitmap, size })
  }
  const fail = (id: string, error: unknown): void => {
    failed.add(id)
    if (ended.signal.aborted || isGone(error)) return
    const retry = setTimeout(() => {
      retries.delete(retry)
      failed.delete(id)
      update()
    }, RETRY_MS)
    retries.add(retry)
  }
  const update = (): void => {
    if (ended.signal.aborted) return
    free()
    for (const [asset, size] of missing().slice(0, PARALLEL_LOADS - loading.size)) {
      loading.add(asset.id)
      load(asset, size)
        .catch((error: unknown) => fail(asset.id, error))
        .finally(() => {
          loading.delete(asset.id)
          update()
        })
    }
  }
  return {
    current: () => images,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    show(view, assets) {
      const before = views.get(view) ?? []
      if (before.length === assets.length && before.every(({ id }, i) => id === assets[i]?.id)) return
      if (assets.length === 0) views.delete(view)
      else views.set(view, assets)
      for (const { id } of assets) moveToEnd(pictures, id)
      update()
    },
    dispose() {
      ended.abort()
      for (const retry of retries) clearTimeout(retry)
      for (const { bitmap } of pictures.values()) bitmap.close()
      pictures.clear()
      images = new Map()
    },
  }
}

/** A deleted asset, or one of another account. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 404
}

const areaOf = ({ width, height }: ImageBitmap): number => width * height

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}
