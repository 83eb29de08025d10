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
  /** Loads the small picture of an asset. Rejects if the service has none. */
  thumbnail(assetId: string): Promise<ImageBitmap>
  dispose(): void
}

const PAGE = 40

export function createAssetLibrary(client: Pick<Platen, 'assets'>): AssetLibrary {
  const state = createValueStore<LibraryState>({ assets: [], status: 'idle', hasMore: true })
  const thumbnails = new Map<string, Promise<ImageBitmap>>()
  const abort = new AbortController()
  let cursor: string | undefined

  const load = async (assetId: string): Promise<ImageBitmap> => {
    const response = await client.assets.getThumbnail(assetId, {}, { signal: abort.signal })
    return createImageBitmap(await response.blob())
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
    thumbnail(assetId) {
      const known = thumbnails.get(assetId)
      if (known !== undefined) return known
      const loading = load(assetId)
      thumbnails.set(assetId, loading)
      // A later attempt may succeed.
      loading.catch(() => thumbnails.delete(assetId))
      return loading
    },
    dispose() {
      abort.abort()
      for (const loading of thumbnails.values()) void loading.then((bitmap) => bitmap.close()).catch(() => undefined)
    },
  }
}

function withoutDuplicates(assets: readonly Asset[]): Asset[] {
  return [...new Map(assets.map((asset) => [asset.id, asset])).values()]
}
