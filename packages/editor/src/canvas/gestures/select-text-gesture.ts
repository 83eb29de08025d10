import { type Point, PT_PER_MM } from '@platen/drawing'
import { toLayer } from '../../document/geometry/boxes.ts'
import { type EditorLayer, findLayer } from '../../document/layers.ts'
import type { Engine, TextFlow } from '../../engine/index.ts'
import type { EditorStore } from '../../state/editor-store.ts'
import type { Gesture } from './gesture.ts'

/** Returns the offset in the text of a layer that is nearest to a point. */
export function indexAt(engine: Engine, layer: EditorLayer, point: Point): number {
  if (layer.type !== 'text') return 0
  const flow: TextFlow | undefined = engine.layoutOf(layer)
  const { x, y } = toLayer(layer, point)
  return flow?.caretAt({ xPt: x * PT_PER_MM, yPt: y * PT_PER_MM }).index ?? layer.text.length
}

/** Selects text with the pointer. */
export function selectTextGesture(
  engine: Engine,
  store: EditorStore,
  layerId: string,
  from: Point,
  extends_: boolean,
): Gesture {
  const select = (point: Point, keepsAnchor: boolean): void => {
    const { document, editing } = store.get()
    const layer = findLayer(document, layerId)?.layer
    if (layer === undefined || editing?.kind !== 'text') return
    const focus = indexAt(engine, layer, point)
    store.set({ editing: { ...editing, focus, anchor: keepsAnchor ? editing.anchor : focus } })
  }
  select(from, extends_)
  return {
    move: ({ mm }) => select(mm, true),
    end: () => undefined,
  }
}

/** Selects the word at an offset. */
export function wordAt(text: string, index: number, locale: string): readonly [start: number, end: number] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' })
  const found = segmenter.segment(text).containing(Math.min(index, Math.max(0, text.length - 1)))
  return found === undefined ? [index, index] : [found.index, found.index + found.segment.length]
}
