import { Button, IconButton } from '@platen/ui'
import { useEffect } from 'react'
import { findLayer } from '../document/layers.ts'
import type { EditorStore } from '../state/editor-store.ts'
import { useEditor, useEditorState } from '../state/use-editor.ts'
import { effectiveCrop, setCrop, zoomCrop } from './gestures/crop-gesture.ts'

const ZOOM_STEP = 1.1

/** Tells how a picture is cropped, enlarges it without a wheel, and ends the crop. */
export function CropBar() {
  const { store, text } = useEditor()
  const layerId = useEditorState(({ editing }) => (editing?.kind === 'crop' ? editing.layerId : undefined))
  useEffect(() => {
    if (layerId === undefined) return
    const ended = new AbortController()
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' && event.key !== 'Enter') return
      event.stopPropagation()
      event.preventDefault()
      store.set({ editing: undefined })
    }
    window.addEventListener('keydown', onKeyDown, { capture: true, signal: ended.signal })
    return () => ended.abort()
  }, [store, layerId])
  if (layerId === undefined) return null
  return (
    <div className="pe-crop-bar">
      <span>{text('cropHint')}</span>
      <IconButton icon="minus" label={text('cropSmaller')} onPress={() => zoom(store, layerId, 1 / ZOOM_STEP)} />
      <IconButton icon="plus" label={text('cropLarger')} onPress={() => zoom(store, layerId, ZOOM_STEP)} />
      <Button look="primary" onPress={() => store.set({ editing: undefined })}>
        {text('cropDone')}
      </Button>
    </div>
  )
}

function zoom(store: EditorStore, layerId: string, factor: number): void {
  const { document, assets } = store.get()
  const layer = findLayer(document, layerId)?.layer
  const asset = layer?.type === 'image' ? assets.get(layer.assetId) : undefined
  if (layer?.type !== 'image' || asset === undefined) return
  setCrop({ store }, layer, zoomCrop(effectiveCrop(layer, asset), factor), undefined)
}
