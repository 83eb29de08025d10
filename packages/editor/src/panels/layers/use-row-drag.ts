import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { allows, describeLayers } from '../../actions/index.ts'
import { placeLayers } from '../../document/layers.ts'
import { useEditor } from '../../state/use-editor.ts'
import { gapOutsideGroups, indexAtGap, type LayerRow } from './layer-rows.ts'

/** Reorders rows by dragging their handles. `gap` is the place where the dragged layers would be dropped. */
export function useRowDrag(
  gridRef: RefObject<HTMLDivElement | null>,
  rows: readonly LayerRow[],
): { gap: number | undefined; start(row: LayerRow, event: PointerEvent<HTMLElement>): void } {
  const { store, announce, text } = useEditor()
  const [gap, setGap] = useState<number>()
  const rowsRef = useRef(rows)
  const ended = useRef<AbortController>(undefined)
  useEffect(() => {
    rowsRef.current = rows
  }, [rows])
  useEffect(() => () => ended.current?.abort(), [])

  const start = useCallback(
    (row: LayerRow, event: PointerEvent<HTMLElement>): void => {
      if (!store.get().isEditable || event.button !== 0) return
      event.preventDefault()
      if (row.layers.some((layer) => !allows(layer, 'move'))) {
        announce(text('refusedMove', { name: describeLayers(row.layers, text) }))
        return
      }
      const handle = event.currentTarget
      handle.setPointerCapture(event.pointerId)
      const abort = new AbortController()
      ended.current = abort
      const { signal } = abort
      const ids = row.layers.map(({ id }) => id)
      let at: number | undefined
      const finish = (drops: boolean): void => {
        abort.abort()
        setGap(undefined)
        if (!drops || at === undefined) return
        const index = indexAtGap(rowsRef.current, at, ids)
        store.edit((document) => placeLayers(document, ids, index), { select: ids })
        const count = rowsRef.current.filter(({ kind }) => kind === 'layer').length
        announce(text('orderedTo', { position: count - index, count }))
      }
      handle.addEventListener(
        'pointermove',
        (move) => {
          const gap = gapAt(gridRef.current, (move as globalThis.PointerEvent).clientY)
          at = gapOutsideGroups(rowsRef.current, gap, ids)
          setGap(at)
        },
        { signal },
      )
      handle.addEventListener('pointerup', () => finish(true), { signal })
      handle.addEventListener('pointercancel', () => finish(false), { signal })
    },
    [store, announce, text, gridRef],
  )
  return { gap, start }
}

function gapAt(grid: HTMLElement | null, clientY: number): number {
  const rows = [...(grid?.querySelectorAll('[role="row"]') ?? [])]
  const next = rows.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect()
    return clientY < top + height / 2
  })
  return next === -1 ? rows.length : next
}
