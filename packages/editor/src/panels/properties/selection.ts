import { useMemo } from 'react'
import { allows, type Facet } from '../../actions/index.ts'
import { changeLayers, type EditorLayer, layersOf } from '../../document/layers.ts'
import type { EditorMessage } from '../../messages.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'

export function useSelectedLayers(): readonly EditorLayer[] {
  const document = useEditorState((state) => state.document)
  const printAreaId = useEditorState((state) => state.printAreaId)
  const selection = useEditorState((state) => state.selection)
  return useMemo(
    () => layersOf(document, printAreaId).filter(({ id }) => selection.includes(id)),
    [document, printAreaId, selection],
  )
}

/** Returns the value that all layers have. Undefined if they differ. */
export function sharedValue<Layer, Value>(layers: readonly Layer[], get: (layer: Layer) => Value): Value | undefined {
  const [first, ...others] = layers
  if (first === undefined) return undefined
  const value = get(first)
  return others.every((layer) => get(layer) === value) ? value : undefined
}

export interface LayerEdit<Layer extends EditorLayer> {
  isDisabled: boolean
  /** Why the layers cannot be changed. */
  reason: EditorMessage | undefined
  /**
   * Changes the layers that allow it.
   *
   * @param name changes with the same name in a row are one step of undo
   */
  change(name: string, change: (layer: Layer) => Layer): void
  /** Ends the step, such as at the end of a drag. */
  end(): void
}

const REASONS: Readonly<Record<Facet, EditorMessage>> = {
  move: 'lockedMove',
  edit: 'lockedEdit',
  style: 'lockedStyle',
  remove: 'lockedRemove',
}

export function useLayerEdit<Layer extends EditorLayer>(layers: readonly Layer[], facet: Facet): LayerEdit<Layer> {
  const { store } = useEditor()
  const isEditable = useEditorState((state) => state.isEditable)
  const free = layers.filter((layer) => allows(layer, facet))
  const isLocked = free.length === 0
  return {
    isDisabled: !isEditable || isLocked,
    reason: isLocked ? REASONS[facet] : undefined,
    change(name, change) {
      const ids = free.map(({ id }) => id)
      store.edit((document) => changeLayers(document, ids, (layer) => change(layer as Layer)), {
        mergeKey: `${name} ${ids.join(' ')}`,
      })
    },
    end: () => store.endStep(),
  }
}
