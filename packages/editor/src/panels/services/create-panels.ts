import type { Asset } from '@platen/client'
import type { Point } from '@platen/drawing'
import {
  type ActionServices,
  type Actions,
  createActions,
  createClipboard,
  insertLayers,
  insertNew,
  nameOfFile,
  shownArea,
} from '../../actions/index.ts'
import { newImage } from '../../document/new-layers.ts'
import type { EditorHost } from '../../state/host.ts'
import { createPanelView, type PanelView } from '../../state/panel-view.ts'
import type { EditorServices } from '../../state/use-editor.ts'
import { type AssetLibrary, createAssetLibrary } from './asset-library.ts'
import { createUploads, type Uploads } from './uploads.ts'

/** What the panels of one editor share. */
export interface Panels {
  actions: Actions
  services: ActionServices
  host: EditorHost
  view: PanelView
  uploads: Uploads
  library: AssetLibrary
  /** Uploads images and places each on the shown side: at a point in millimetres, or in the middle. */
  placeFiles(files: readonly File[], pointMm?: Point): void
  placeAsset(asset: Asset, pointMm?: Point): void
  /** Remembers under which name a file was uploaded, because assets have no names. */
  rememberName(asset: Asset, file: File): void
  /** Returns the name for layers with an asset, if it was uploaded on this page under a name. */
  nameOf(assetId: string): string | undefined
  /** Makes an asset known to the design, so that its layers can be drawn. */
  addAsset(asset: Asset): void
  dispose(): void
}

/** The distance between images that are dropped together. */
const STEP_MM = 8

export function createPanels(services: EditorServices, host: EditorHost): Panels {
  const { store, client } = services
  const view = createPanelView()
  const uploads = createUploads(client)
  const library = createAssetLibrary(client)

  const addAsset = (asset: Asset): void => {
    if (!store.get().assets.has(asset.id)) store.set({ assets: new Map(store.get().assets).set(asset.id, asset) })
  }
  const names = new Map<string, string | undefined>()
  const nameOf = (assetId: string): string | undefined => names.get(assetId)
  const rememberName = (asset: Asset, file: File): void => {
    names.set(asset.id, nameOfFile(file.name))
  }
  const placeAsset = (asset: Asset, pointMm?: Point): void => {
    addAsset(asset)
    const layer = newImage(shownArea(store.get()), asset, pointMm, nameOf(asset.id))
    if (pointMm === undefined) insertNew(services, layer)
    else insertLayers(services, [layer])
  }
  const placeFiles = (files: readonly File[], pointMm?: Point): void => {
    const { printAreaId } = store.get()
    for (const [i, file] of files.entries()) {
      const offset = i * STEP_MM
      const at = pointMm === undefined ? undefined : { x: pointMm.x + offset, y: pointMm.y + offset }
      uploads.add([file], (asset) => {
        library.add(asset)
        rememberName(asset, file)
        // The customer may have turned to another side meanwhile.
        if (store.get().printAreaId !== printAreaId) store.show(printAreaId)
        placeAsset(asset, at)
      })
    }
  }

  const actionServices = { ...services, host, view, clipboard: createClipboard(), placeFiles }
  return {
    actions: createActions(actionServices),
    services: actionServices,
    host,
    view,
    uploads,
    library,
    placeFiles,
    placeAsset,
    rememberName,
    nameOf,
    addAsset,
    dispose() {
      uploads.dispose()
      library.dispose()
    },
  }
}
