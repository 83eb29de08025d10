import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import { allows, layerName } from '../../actions/index.ts'
import { reorderLayers } from '../../document/layers.ts'
import { useEditor } from '../../state/use-editor.ts'
import type { LayerRow } from './layer-rows.ts'

interface RowKeysInput {
  gridRef: RefObject<HTMLDivElement | null>
  rows: readonly LayerRow[]
  setFocused(key: string): void
  rename(row: LayerRow): void
}

/**
 * The keys of the list: arrows move and select, Shift extends, Space adds and removes, left and right reach the buttons
 * of a row, Alt with arrows reorders, F2 renames.
 */
export function useRowKeys({ gridRef, rows, setFocused, rename }: RowKeysInput): (event: KeyboardEvent) => void {
  const { store, announce, text } = useEditor()
  const moved = useRef<string>(undefined)
  // A row that moves within the page loses the focus.
  useLayoutEffect(() => {
    if (moved.current === undefined) return
    const index = rows.findIndex(({ key }) => key === moved.current)
    moved.current = undefined
    gridRef.current?.querySelectorAll<HTMLElement>('[role="row"]')[index]?.focus()
  }, [rows, gridRef])

  const elements = () => [...(gridRef.current?.querySelectorAll<HTMLElement>('[role="row"]') ?? [])]
  const focusRow = (index: number, extends_: boolean): void => {
    const row = rows[index]
    if (row === undefined) return
    setFocused(row.key)
    elements()[index]?.focus()
    const ids = row.layers.map(({ id }) => id)
    store.select(extends_ ? [...new Set([...store.get().selection, ...ids])] : ids)
  }
  const reorder = (row: LayerRow, change: 'forward' | 'backward'): void => {
    const [first] = row.layers
    if (first === undefined) return
    if (row.layers.some((layer) => !allows(layer, 'move'))) {
      announce(text('refusedMove', { name: layerName(first, text) }))
      return
    }
    const ids = row.layers.map(({ id }) => id)
    const { document: before } = store.get()
    store.edit((document) => reorderLayers(document, ids, change), { mergeKey: `order ${ids.join(' ')}` })
    if (store.get().document !== before) moved.current = row.key
    const layers = store.get().document.placements.find((one) => one.layers.some(({ id }) => id === first.id))?.layers
    const position = (layers?.length ?? 0) - (layers?.findIndex(({ id }) => id === first.id) ?? 0)
    announce(text('orderedTo', { position, count: layers?.length ?? 0 }))
  }

  return (event) => {
    const target = event.target as HTMLElement
    if (target.tagName === 'INPUT') return
    const element = target.closest<HTMLElement>('[role="row"]')
    const index = element === null ? -1 : elements().indexOf(element)
    const row = rows[index]
    if (element === null || row === undefined) return
    const acted = keyIn(event, { element, target, index, row })
    if (acted) event.preventDefault()
  }

  function keyIn(
    event: KeyboardEvent,
    { element, target, index, row }: { element: HTMLElement; target: HTMLElement; index: number; row: LayerRow },
  ): boolean {
    switch (event.key) {
      case 'ArrowUp':
      case 'ArrowDown': {
        const isUp = event.key === 'ArrowUp'
        if (event.altKey) reorder(row, isUp ? 'forward' : 'backward')
        else focusRow(index + (isUp ? -1 : 1), event.shiftKey)
        return true
      }
      case 'Home':
      case 'End':
        focusRow(event.key === 'Home' ? 0 : rows.length - 1, event.shiftKey)
        return true
      case 'ArrowLeft':
      case 'ArrowRight':
        if (event.altKey || event.ctrlKey || event.metaKey) return false
        return moveInRow(element, target, event.key === 'ArrowRight')
      case ' ':
      case 'Enter': {
        if (target !== element) return false
        const ids = row.layers.map(({ id }) => id)
        const { selection } = store.get()
        const isSelected = ids.every((id) => selection.includes(id))
        store.select(isSelected ? selection.filter((id) => !ids.includes(id)) : [...selection, ...ids])
        return true
      }
      case 'F2':
        if (row.kind === 'layer') rename(row)
        return true
      default:
        return false
    }
  }
}

/** Moves the focus between a row and its buttons. */
function moveInRow(element: HTMLElement, target: HTMLElement, isRight: boolean): boolean {
  const isForward = isRight === (getComputedStyle(element).direction === 'ltr')
  const stops = [element, ...element.querySelectorAll<HTMLElement>('button')]
  const at = stops.indexOf(target)
  stops[Math.max(0, Math.min(stops.length - 1, at + (isForward ? 1 : -1)))]?.focus()
  return true
}
