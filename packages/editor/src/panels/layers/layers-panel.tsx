import { EmptyState, ToggleButton, ToolBar } from '@platen/ui'
import { useCallback, useMemo, useRef, useState } from 'react'
import { canRename, layerName } from '../../actions/index.ts'
import { layersOf } from '../../document/layers.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { ActionButton } from '../bars/action-button.tsx'
import { LayerRowView, type RowEvents } from './layer-row.tsx'
import { type LayerRow, rowsOf } from './layer-rows.ts'
import { useRowDrag } from './use-row-drag.ts'
import { useRowKeys } from './use-row-keys.ts'

/** The layers of the shown side, top to bottom: for screen readers, it is the view of the canvas. */
export function LayersPanel() {
  const { text } = useEditor()
  const document = useEditorState((state) => state.document)
  const printAreaId = useEditorState((state) => state.printAreaId)
  const rows = useMemo(() => rowsOf(layersOf(document, printAreaId)), [document, printAreaId])
  const [selectsSeveral, setSelectsSeveral] = useState(false)
  if (rows.length === 0) {
    return (
      <EmptyState icon="layers" title={text('noLayers')} level={3}>
        {text('noLayersHint')}
      </EmptyState>
    )
  }
  return (
    <div className="pe-layers">
      <ToggleButton className="pe-select-several" isSelected={selectsSeveral} onChange={setSelectsSeveral}>
        {text('selectSeveral')}
      </ToggleButton>
      <LayerGrid rows={rows} selectsSeveral={selectsSeveral} />
      <ToolBar aria-label={text('layerTools')} className="pe-layer-tools">
        <ActionButton action="forward" icon="arrow-up" />
        <ActionButton action="backward" icon="arrow-down" />
        <ActionButton action="group" icon="group" />
        <ActionButton action="ungroup" icon="ungroup" />
        <ActionButton action="duplicate" icon="copy" />
        <ActionButton action="delete" icon="trash" />
      </ToolBar>
    </div>
  )
}

function LayerGrid({ rows, selectsSeveral }: { rows: readonly LayerRow[]; selectsSeveral: boolean }) {
  const { store, text } = useEditor()
  const selection = useEditorState((state) => state.selection)
  const gridRef = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const [renamed, setRenamed] = useState<string>()
  const { refusal, rename } = useRenaming(setRenamed)
  const drag = useRowDrag(gridRef, rows)
  const onKeyDown = useRowKeys({ gridRef, rows, setFocused, rename })

  const select = useCallback(
    (row: LayerRow, adds: boolean) => {
      const ids = row.layers.map(({ id }) => id)
      const { selection: present } = store.get()
      const isSelected = ids.every((id) => present.includes(id))
      if (!adds) store.select(ids)
      else store.select(isSelected ? present.filter((id) => !ids.includes(id)) : [...new Set([...present, ...ids])])
    },
    [store],
  )
  const events: RowEvents = useMemo(
    () => ({
      select: (row, adds) => select(row, adds || selectsSeveral),
      focus: (row) => setFocused(row.key),
      rename,
      startDrag: drag.start,
    }),
    [select, selectsSeveral, rename, drag.start],
  )
  const current = rows.some(({ key }) => key === focused) ? focused : rows[0]?.key
  return (
    <div
      ref={gridRef}
      role="treegrid"
      aria-label={text('layers')}
      aria-multiselectable
      aria-describedby="pe-layers-hint"
      className="pe-layer-grid"
      onKeyDown={onKeyDown}
      tabIndex={-1}
    >
      <p id="pe-layers-hint" className="pe-hidden-text">
        {text('layersHint')}
      </p>
      {refusal === undefined ? null : <p className="pe-reason">{refusal}</p>}
      {rows.map((row, i) => (
        <LayerRowView
          key={row.key}
          row={row}
          isSelected={row.layers.every(({ id }) => selection.includes(id))}
          isCurrent={row.key === current}
          isRenamed={row.key === renamed}
          drop={drag.gap === i ? 'before' : drag.gap === rows.length && i === rows.length - 1 ? 'after' : undefined}
          events={events}
        />
      ))}
    </div>
  )
}

/** Opens the name of a row for typing, or says why it cannot be changed. */
function useRenaming(setRenamed: (key: string | undefined) => void): {
  refusal: string | undefined
  rename(row: LayerRow | undefined): void
} {
  const { store, text, announce } = useEditor()
  const [refusal, setRefusal] = useState<string>()
  const rename = useCallback(
    (row: LayerRow | undefined): void => {
      const { design, isEditable } = store.get()
      const locked = row?.layers.find((layer) => !canRename(layer, design))
      const reason = locked === undefined ? undefined : text('refusedRename', { name: layerName(locked, text) })
      setRefusal(reason)
      if (reason !== undefined) announce(reason)
      else if (row === undefined || isEditable) setRenamed(row?.key)
    },
    [store, text, announce, setRenamed],
  )
  return { refusal, rename }
}
