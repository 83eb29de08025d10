import type { Asset } from '@platen/client'
import { Banner, Button, classes, EmptyState, Icon } from '@platen/ui'
import {
  type ChangeEvent,
  type DragEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { allows } from '../../actions/index.ts'
import { changeLayers, type EditorLayer } from '../../document/layers.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { useValue } from '../../state/value-store.ts'
import { useSelectedLayers } from '../properties/selection.ts'
import { usePanels, usePanelView } from '../services/use-panels.ts'
import { AssetThumbnail } from './asset-thumbnail.tsx'
import { UploadList } from './upload-list.tsx'

/** The images of the customer: uploads new ones, and places them. */
export function ImageLibrary() {
  const { text } = useEditor()
  const { library } = usePanels()
  const { assets, status, hasMore } = useValue(library)
  const replaced = useReplacedImage()
  const ref = useRef<HTMLDivElement>(null)
  const use = useAsset(replaced, ref)
  useEffect(() => {
    if (library.get().status === 'idle') void library.loadMore()
  }, [library])
  return (
    <DropTarget ref={ref} onAsset={use}>
      {replaced === undefined ? null : <Banner>{text('replaceHint')}</Banner>}
      <UploadButton onAsset={use} />
      <UploadList />
      {status === 'ready' && assets.length === 0 ? (
        <EmptyState icon="image" title={text('noImages')} level={3}>
          {text('noImagesHint')}
        </EmptyState>
      ) : null}
      <ul className="pe-assets" aria-label={text('yourImages')} aria-busy={status === 'loading'}>
        {assets.map((asset) => (
          <li key={asset.id}>
            <AssetTile asset={asset} onUse={() => use(asset)} />
          </li>
        ))}
      </ul>
      {status === 'failed' ? <Banner tone="danger">{text('imagesNotLoaded')}</Banner> : null}
      {hasMore && status !== 'idle' ? (
        <Button isPending={status === 'loading'} onPress={() => void library.loadMore()}>
          {text(status === 'failed' ? 'retry' : status === 'loading' ? 'loading' : 'moreImages')}
        </Button>
      ) : null}
    </DropTarget>
  )
}

/** The image that takes the picked asset, if the customer wants to replace one. */
function useReplacedImage(): EditorLayer | undefined {
  const { replaces } = usePanelView()
  const [layer, ...others] = useSelectedLayers()
  return replaces && others.length === 0 && layer?.type === 'image' && layer.lock?.edit !== true ? layer : undefined
}

/** The width of the element below which panels cover the stage, as in the styles. */
const PHONE_WIDTH = 640

/** Returns a function that places an asset, or replaces the image. */
function useAsset(replaced: EditorLayer | undefined, ref: RefObject<Element | null>): (asset: Asset) => void {
  const { store, text, announce } = useEditor()
  const { placeAsset, addAsset, nameOf, view } = usePanels()
  return (asset) => {
    if (replaced === undefined) {
      placeAsset(asset)
      // On phones, the panel would hide the image.
      const width = ref.current?.closest('.pe-root')?.clientWidth
      if (width !== undefined && width < PHONE_WIDTH) view.show(undefined)
      return
    }
    addAsset(asset)
    store.edit((document) => changeLayers(document, [replaced.id], (layer) => withAsset(layer, asset.id, nameOf)))
    announce(text('imageReplaced'))
    view.show('properties')
  }
}

type NameOf = (assetId: string) => string | undefined

/** Another image has other proportions, so the part that was cut out means nothing in it. */
function withAsset(layer: EditorLayer, assetId: string, nameOf: NameOf): EditorLayer {
  if (layer.type !== 'image') return layer
  const { crop: _, ...whole } = layer
  const next = nameOf(assetId)
  const isNamedByFile = layer.name === undefined || layer.name === nameOf(layer.assetId)
  // The name is a part of the style, which may be locked.
  return { ...whole, assetId, ...(next !== undefined && isNamedByFile && allows(layer, 'style') ? { name: next } : {}) }
}

function AssetTile({ asset, onUse }: { asset: Asset; onUse(): void }) {
  const { text, locale } = useEditor()
  const isEditable = useEditorState((state) => state.isEditable)
  const added = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date(asset.createdAt))
  const name = text('imageNamed', { width: asset.widthPx, height: asset.heightPx, date: added })
  return (
    <Button look="quiet" className="pe-asset" isDisabled={!isEditable} aria-label={name} onPress={onUse}>
      <AssetThumbnail assetId={asset.id} />
    </Button>
  )
}

/** The types that the service takes. It looks at the content, so other names of them are fine. */
const ACCEPTED = 'image/jpeg,image/png,image/webp,image/tiff,.jpg,.jpeg,.png,.webp,.tif,.tiff'

interface UploadTargetProps {
  /** What happens to the only file of an upload. Several files only join the library. */
  onAsset(asset: Asset): void
}

function useUpload(onAsset: (asset: Asset) => void): (files: readonly File[]) => void {
  const { uploads, library, rememberName } = usePanels()
  const latest = useRef(onAsset)
  useEffect(() => {
    latest.current = onAsset
  })
  return (files) =>
    uploads.add(files, (asset, file) => {
      library.add(asset)
      rememberName(asset, file)
      if (files.length === 1) latest.current(asset)
    })
}

function UploadButton({ onAsset }: UploadTargetProps) {
  const { text } = useEditor()
  const isEditable = useEditorState((state) => state.isEditable)
  const upload = useUpload(onAsset)
  const inputRef = useRef<HTMLInputElement>(null)
  const pick = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const files = [...(target.files ?? [])]
    target.value = ''
    if (files.length > 0) upload(files)
  }
  return (
    <>
      <input
        ref={inputRef}
        type="file"
        hidden
        multiple
        accept={ACCEPTED}
        onChange={pick}
        aria-label={text('uploadImages')}
      />
      <Button look="primary" isDisabled={!isEditable} onPress={() => inputRef.current?.click()}>
        <Icon name="upload" />
        {text('uploadImages')}
      </Button>
      <p className="pe-hint">{text('uploadHint')}</p>
    </>
  )
}

function DropTarget({ onAsset, ref, children }: UploadTargetProps & { ref: Ref<HTMLDivElement>; children: ReactNode }) {
  const upload = useUpload(onAsset)
  const isEditable = useEditorState((state) => state.isEditable)
  const [isOver, setIsOver] = useState(false)
  const hasFiles = (event: DragEvent): boolean => isEditable && event.dataTransfer.types.includes('Files')
  const drop = (event: DragEvent): void => {
    setIsOver(false)
    if (!hasFiles(event)) return
    event.preventDefault()
    upload([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      ref={ref}
      className={classes('pe-images', isOver && 'is-over')}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  )
}
