import { type Point, PT_PER_MM } from '@platen/drawing'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useReducer, useRef } from 'react'
import { fromLayer } from '../document/geometry/boxes.ts'
import { changeLayers, type EditorLayer, findLayer } from '../document/layers.ts'
import type { CaretStop, Engine, TextFlow } from '../engine/index.ts'
import type { EditorState, TextEditing, View } from '../state/editor-state.ts'
import { useEditor, useEditorState } from '../state/use-editor.ts'
import { toPx } from '../state/view.ts'
import { growToFit } from './grow-to-fit.ts'
import { verticalTarget } from './vertical-caret.ts'

type TextLayer = EditorLayer & { type: 'text' }

/** Typing into a text on the canvas. An invisible text field holds the text, so that every input method works. */
export function TextInput({ engine }: { engine: Engine }) {
  const editing = useEditorState((state) => state.editing)
  const layer = useEditorState(editedText)
  const view = useEditorState((state) => state.view)
  // The layout changes when a font arrives.
  useFontChanges(engine)
  if (editing?.kind !== 'text' || layer === undefined || view === undefined) return null
  const flow = engine.layoutOf(layer)
  return (
    <>
      {flow !== undefined && <TextMarks editing={editing} layer={layer} flow={flow} view={view} />}
      <Field key={layer.id} editing={editing} layer={layer} flow={flow} view={view} engine={engine} />
    </>
  )
}

/** Renders again when a font has arrived. */
function useFontChanges({ fonts }: Engine): void {
  const [, renderAgain] = useReducer((count: number) => count + 1, 0)
  useEffect(() => fonts.onChange(renderAgain), [fonts])
}

function editedText({ editing, document }: EditorState): TextLayer | undefined {
  const layer = editing?.kind === 'text' ? findLayer(document, editing.layerId)?.layer : undefined
  return layer?.type === 'text' ? layer : undefined
}

interface EditedText {
  editing: TextEditing
  layer: TextLayer
  flow: TextFlow | undefined
  view: View
}

function Field({ editing, layer, flow, view, engine }: EditedText & { engine: Engine }) {
  const { store, text } = useEditor()
  const ref = useRef<HTMLTextAreaElement>(null)
  const wantedX = useRef<number | undefined>(undefined)
  const { anchor, focus } = editing

  useEffect(() => {
    ref.current?.focus({ preventScroll: true })
  }, [])
  useLayoutEffect(() => {
    const field = ref.current
    if (field === null) return
    if (field.value !== layer.text) field.value = layer.text
    const [start, end] = [Math.min(anchor, focus), Math.max(anchor, focus)]
    if (field.selectionStart !== start || field.selectionEnd !== end) {
      field.setSelectionRange(start, end, anchor > focus ? 'backward' : 'forward')
    }
  }, [layer.text, anchor, focus])
  useLayoutEffect(() => {
    if (ref.current !== null && flow !== undefined) placeField(ref.current, layer, flow.caretOf(focus), view)
  })

  /** Takes over what the field has selected, as keys and input methods do. */
  const takeSelection = (): void => {
    const field = ref.current
    if (field === null) return
    const isBackward = field.selectionDirection === 'backward'
    const [from, to] = isBackward
      ? [field.selectionEnd, field.selectionStart]
      : [field.selectionStart, field.selectionEnd]
    const present = store.get().editing
    if (present?.kind !== 'text' || (present.anchor === from && present.focus === to)) return
    store.set({ editing: { ...present, anchor: from, focus: to } })
  }
  const hasTyped = useRef(false)
  // A font of a new script arrives after the text was typed, and only then is its height known.
  useEffect(() => {
    if (!hasTyped.current || flow === undefined) return
    store.edit(
      (document) =>
        changeLayers(document, [layer.id], (present) =>
          present.type === 'text' ? growToFit(engine, present as TextLayer) : present,
        ),
      { mergeKey: `type:${layer.id}` },
    )
  }, [store, engine, layer.id, flow])
  useSelectionChanges(ref, takeSelection)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    // The event of the last change of the selection may still be under way.
    takeSelection()
    const present = store.get().editing
    if (present?.kind !== 'text') return
    // Shortcuts of the editor, such as the delete key, must not act on the layer while text is typed.
    if (!isForEditor(event)) event.stopPropagation()
    if (event.key === 'Escape') {
      event.stopPropagation()
      store.set({ editing: undefined })
      return
    }
    const target =
      flow === undefined ? undefined : verticalTarget(flow, event, { focus: present.focus, wantedX: wantedX.current })
    wantedX.current = target?.wantedX
    if (target === undefined) return
    event.preventDefault()
    store.set({
      editing: { ...present, focus: target.index, anchor: event.shiftKey ? present.anchor : target.index },
    })
  }
  return (
    <textarea
      ref={ref}
      className="pe-text-field"
      data-pe-canvas-text
      dir="auto"
      aria-label={text('textOfLayer')}
      defaultValue={layer.text}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      onKeyDown={onKeyDown}
      onInput={(event) => {
        const { value } = event.currentTarget
        hasTyped.current = true
        store.edit(
          (document) =>
            changeLayers(document, [layer.id], (present) =>
              growToFit(engine, { ...(present as TextLayer), text: value }),
            ),
          { mergeKey: `type:${layer.id}` },
        )
        takeSelection()
      }}
      onBlur={() => store.endStep()}
    />
  )
}

/** React's own event does not come from a shadow root, because the focus of the page is on the host. */
function useSelectionChanges(ref: RefObject<HTMLElement | null>, listener: () => void): void {
  const latest = useRef(listener)
  useLayoutEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const field = ref.current
    const ended = new AbortController()
    const listen = (): void => latest.current()
    for (const type of ['selectionchange', 'select', 'keyup']) {
      field?.addEventListener(type, listen, { signal: ended.signal })
    }
    return () => ended.abort()
  }, [ref])
}

function isForEditor({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && ['z', 'y', 's', 'Z', 'Y', 'S'].includes(key)
}

/** Places the field at the caret, so that input methods open beside it. */
function placeField(field: HTMLTextAreaElement, layer: TextLayer, caret: CaretStop, view: View): void {
  const top = pointOf(layer, caret.xPt, caret.topPt, view)
  const heightPx = Math.max(12, ((caret.bottomPt - caret.topPt) / PT_PER_MM) * view.pxPerMm)
  field.style.transform = `translate(${Math.round(top.x)}px, ${Math.round(top.y)}px)`
  field.style.height = `${Math.round(heightPx)}px`
  field.style.fontSize = `${Math.round(heightPx * 0.8)}px`
}

function pointOf(layer: TextLayer, xPt: number, yPt: number, view: View): Point {
  return toPx(view, fromLayer(layer, { x: xPt / PT_PER_MM, y: yPt / PT_PER_MM }))
}

/** The selection and the caret, turned with the layer. */
function TextMarks({ editing, layer, flow, view }: EditedText & { flow: TextFlow }) {
  const { anchor, focus } = editing
  const [start, end] = [Math.min(anchor, focus), Math.max(anchor, focus)]
  const polygon = (xPt: number, widthPt: number, topPt: number, bottomPt: number): string =>
    [
      [xPt, topPt],
      [xPt + widthPt, topPt],
      [xPt + widthPt, bottomPt],
      [xPt, bottomPt],
    ]
      .map(([x = 0, y = 0]) => pointOf(layer, x, y, view))
      .map(({ x, y }) => `${x},${y}`)
      .join(' ')
  const caret = flow.caretOf(focus)
  const top = pointOf(layer, caret.xPt, caret.topPt, view)
  const bottom = pointOf(layer, caret.xPt, caret.bottomPt, view)
  return (
    <svg className="pe-overlay pe-text-marks" aria-hidden="true">
      {start < end &&
        flow
          .rectsOfRange(start, end)
          .map(({ lineIndex, xPt, widthPt, topPt, bottomPt }) => (
            <polygon
              key={`${lineIndex}:${xPt}`}
              className="pe-text-selection"
              points={polygon(xPt, widthPt, topPt, bottomPt)}
            />
          ))}
      <line key={`${focus}`} className="pe-caret" x1={top.x} y1={top.y} x2={bottom.x} y2={bottom.y} />
    </svg>
  )
}
