import { type Asset, type Platen, PlatenError } from '@platen/client'
import { layerAssetIds } from '@platen/drawing'
import type { EditorStore } from '../state/editor-store.ts'

const RETRY_MS = 5_000

/** A deleted asset, or one of another account. Preflight reports it. */
function isGone(error: unknown): boolean {
  return error instanceof PlatenError && (error.status === 404 || error.status === 403)
}

/** Reads the metadata of assets into the state. */
export interface AssetReader {
  /** Reads those that are not known. Tries again if the service cannot be reached. */
  read(ids: readonly string[]): void
  end(): void
}

/** Reads the metadata of the assets in the document, also of those that undo or another tab brings. */
export function followAssets(store: EditorStore, client: Platen): AssetReader {
  const requested = new Set<string>()
  const ended = new AbortController()
  let seen: unknown

  const load = async (assetId: string): Promise<void> => {
    const asset = await client.assets.get(assetId, { signal: ended.signal })
    const assets: ReadonlyMap<string, Asset> = new Map(store.get().assets).set(asset.id, asset)
    store.set({ assets })
  }
  const read = (ids: readonly string[]): void => {
    const { assets } = store.get()
    for (const id of ids) {
      if (assets.has(id) || requested.has(id)) continue
      requested.add(id)
      load(id).catch((error: unknown) => {
        if (ended.signal.aborted || isGone(error)) return
        setTimeout(() => {
          requested.delete(id)
          if (!ended.signal.aborted) read([id])
        }, RETRY_MS)
      })
    }
  }
  const follow = (): void => {
    const { document } = store.get()
    if (document === seen) return
    seen = document
    read(document.placements.flatMap(({ layers }) => layers.flatMap(layerAssetIds)))
  }
  const unsubscribe = store.subscribe(follow)
  follow()
  return {
    read,
    end() {
      ended.abort()
      unsubscribe()
    },
  }
}
