import type { Asset, Platen } from '@platen/client'
import { createValueStore } from '../../state/value-store.ts'

interface LibraryState {
  /** Newest first. */
  assets: readonly Asset[]
  status: 'idle' | 'loading' | 'ready' | 'failed'
  hasMore: boolean
}

/** The images of the customer. */
export interface AssetLibrary {
  get(): LibraryState
  subscribe(listener: () => void): () => void
  /** Loads the first page, or the next one. Without effect while a page is loading. */
  loadMore(): Promise<void>
  add(asset: Asset): void
  /**
   * Loads the small picture of an asset. Draw it at once: it is freed when others have taken its place. Rejects if the
   * service has none.
   */
  thumbnail(assetId: string): Promise<ImageBitmap>
  dispose(): void
}

const PAGE = 40
/** Pixels of the small pictures that stay in memory: about 50 of them. */
const MOST_PIXELS = 8_000_000

export interface AssetLibraryOptions {
  mostPixels?: number | undefined
  /** Decodes a picture. Default: `createImageBitmap`. */
  decode?: ((picture: Blob) => Promise<ImageBitmap>) | undefined
}

export function createAssetLibrary(
  client: Pick<Platen, 'assets'>,
  { mostPixels = MOST_PIXELS, decode = (picture) => createImageBitmap(picture) }: AssetLibraryOptions = {},
): AssetLibrary {
  const state = createValueStore<LibraryState>({ assets: [], status: 'idle', hasMore: true })
  /** The one that was used last is the last one. */
  const thumbnails = new Map<string, ImageBitmap>()
  const loading = new Map<string, Promise<ImageBitmap>>()
  const abort = new AbortController()
  let cursor: string | undefined

  const keep = (assetId: string, bitmap: ImageBitmap): void => {
    thumbnails.set(assetId, bitmap)
    let pixels = [...thumbnails.values()].reduce((sum, { width, height }) => sum + width * height, 0)
    for (const [id, one] of [...thumbnails].slice(0, -1)) {
      if (pixels <= mostPixels) return
      thumbnails.delete(id)
      pixels -= one.width * one.height
      one.close()
    }
  }
  const load = async (assetId: string): Promise<ImageBitmap> => {
    const response = await client.assets.getThumbnail(assetId, {}, { signal: abort.signal })
    const bitmap = await decode(await response.blob())
    if (abort.signal.aborted) bitmap.close()
    else keep(assetId, bitmap)
    return bitmap
  }

  return {
    get: state.get,
    subscribe: state.subscribe,
    async loadMore() {
      const { status, hasMore } = state.get()
      if (status === 'loading' || !hasMore) return
      state.set({ ...state.get(), status: 'loading' })
      try {
        const page = await client.assets.list({ limit: PAGE, cursor }, { signal: abort.signal })
        cursor = page.nextCursor ?? undefined
        const assets = withoutDuplicates([...state.get().assets, ...page.data])
        state.set({ assets, status: 'ready', hasMore: page.nextCursor !== null })
      } catch {
        if (!abort.signal.aborted) state.set({ ...state.get(), status: 'failed' })
      }
    },
    add(asset) {
      state.set({ ...state.get(), assets: withoutDuplicates([asset, ...state.get().assets]) })
    },
    async thumbnail(assetId) {
      const known = thumbnails.get(assetId)
      if (known !== undefined) {
        thumbnails.delete(assetId)
        thumbnails.set(assetId, known)
        return known
      }
      const pending = loading.get(assetId) ?? load(assetId).finally(() => loading.delete(assetId))
      loading.set(assetId, pending)
      return pending
    },
    dispose() {
      abort.abort()
      for (const bitmap of thumbnails.values()) bitmap.close()
      thumbnails.clear()
    },
  }
}

function withoutDuplicates(assets: readonly Asset[]): Asset[] {
  return [...new Map(assets.map((asset) => [asset.id, asset])).values()]
}
