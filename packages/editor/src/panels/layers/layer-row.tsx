import { Button, classes, Icon } from '@platen/ui'
import { memo, type PointerEvent, useRef } from 'react'
import { bindsLocks, isLocked, layerName, toggleLock, toggleVisibility } from '../../actions/index.ts'
import { changeLayers, type EditorLayer } from '../../document/layers.ts'
import { isHidden } from '../../document/visibility.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { usePanels } from '../services/use-panels.ts'
import { LayerMark } from './layer-mark.tsx'
import type { LayerRow } from './layer-rows.ts'

export interface RowEvents {
  /** @param adds whether the row is added to the selection, or removed from it */
  select(row: LayerRow, adds: boolean): void
  focus(row: LayerRow): void
  /** Begins to rename a row, or ends it. */
  rename(row: LayerRow | undefined): void
  startDrag(row: LayerRow, event: PointerEvent<HTMLElement>): void
}

interface LayerRowProps {
  row: LayerRow
  isSelected: boolean
  /** Whether the Tab key reaches this row. */
  isCurrent: boolean
  isRenamed: boolean
  drop: 'before' | 'after' | undefined
  events: RowEvents
}

export const LayerRowView = memo(function LayerRowView(props: LayerRowProps) {
  const { row, isSelected, isCurrent, isRenamed, drop, events } = props
  const { text } = useEditor()
  const name = rowName(row, text)
  const states = [row.layers.every(isLocked) && text('isLocked'), row.layers.every(isHidden) && text('isHidden')]
  return (
    // biome-ignore lint/a11y/useSemanticElements: the grid is no table
    <div
      role="row"
      className={classes(
        'pe-layer-row',
        row.isInGroup && 'in-group',
        row.layers.every(isHidden) && 'is-hidden',
        drop !== undefined && `drop-${drop}`,
      )}
      aria-label={[name, ...states.filter((state) => state !== false)].join(', ')}
      aria-selected={isSelected}
      aria-level={row.isInGroup ? 2 : 1}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => events.focus(row)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: the grid is no table */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
      <div
        role="gridcell"
        className="pe-layer-name"
        onClick={(event) => events.select(row, event.ctrlKey || event.metaKey || event.shiftKey)}
        onDoubleClick={() => row.kind === 'layer' && events.rename(row)}
      >
        <span className="pe-handle" aria-hidden onPointerDown={(event) => events.startDrag(row, event)}>
          <Icon name="menu" size={18} />
        </span>
        <LayerMark row={row} />
        {isRenamed ? (
          <NameField layer={row.layers[0]} onEnd={() => events.rename(undefined)} />
        ) : (
          <span className="pe-layer-text" dir="auto">
            {name}
          </span>
        )}
      </div>
      <RowToggles row={row} name={name} />
    </div>
  )
})

function RowToggles({ row, name }: { row: LayerRow; name: string }) {
  const { text } = useEditor()
  const { services } = usePanels()
  const isBound = useEditorState((state) => bindsLocks(state.design))
  const isEditable = useEditorState((state) => state.isEditable)
  const locked = row.layers.every(isLocked)
  const hidden = row.layers.every(isHidden)
  return (
    // biome-ignore lint/a11y/useSemanticElements: the grid is no table
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons have the focus
    <div role="gridcell" className="pe-layer-buttons">
      <Button
        look="quiet"
        isIcon
        excludeFromTabOrder
        aria-label={text(locked ? 'unlockNamed' : 'lockNamed', { name })}
        isDisabled={!isEditable || isBound}
        onPress={() => toggleLock(services, row.layers)}
        className={classes(!locked && 'pe-faint')}
      >
        <Icon name={locked ? 'lock' : 'unlock'} size={20} />
      </Button>
      <Button
        look="quiet"
        isIcon
        excludeFromTabOrder
        aria-label={text(hidden ? 'showNamed' : 'hideNamed', { name })}
        isDisabled={!isEditable}
        onPress={() => toggleVisibility(services, row.layers)}
        className={classes(!hidden && 'pe-faint')}
      >
        <Icon name={hidden ? 'eye-off' : 'eye'} size={20} />
      </Button>
    </div>
  )
}

function NameField({ layer, onEnd }: { layer: EditorLayer | undefined; onEnd(): void }) {
  const { store, text } = useEditor()
  const isCancelled = useRef(false)
  if (layer === undefined) return null
  const commit = (value: string): void => {
    const name = value.replaceAll('\0', '').toWellFormed().trim()
    if (!isCancelled.current && name !== layerName(layer, text)) {
      store.edit((document) => changeLayers(document, [layer.id], (one) => withName(one, name)))
    }
    onEnd()
  }
  return (
    <input
      className="pl-input pe-name-field"
      aria-label={text('layerName')}
      defaultValue={layerName(layer, text)}
      maxLength={100}
      // biome-ignore lint/a11y/noAutofocus: the customer has just asked for this field
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => commit(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        event.preventDefault()
        isCancelled.current = event.key === 'Escape'
        const row = event.currentTarget.closest<HTMLElement>('[role="row"]')
        event.currentTarget.blur()
        row?.focus()
      }}
      onClick={(event) => event.stopPropagation()}
    />
  )
}

/** An empty name gives the layer its automatic name back. */
function withName(layer: EditorLayer, name: string): EditorLayer {
  if (name !== '') return { ...layer, name }
  const { name: _, ...unnamed } = layer
  return unnamed as EditorLayer
}

function rowName(row: LayerRow, text: ReturnType<typeof useEditor>['text']): string {
  const [layer] = row.layers
  if (row.kind === 'group') return text('groupOf', { count: row.layers.length })
  return layer === undefined ? '' : layerName(layer, text)
}
