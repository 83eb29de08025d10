import { useEffect, useRef } from 'react'
import { boundsOfLayers } from '../document/geometry/boxes.ts'
import { useEditor } from '../state/use-editor.ts'
import type { ValueStore } from '../state/value-store.ts'
import type { Size } from '../state/view.ts'
import { selectedLayers } from './gestures/move-gesture.ts'
import { drawRuler, RULER_PX, type RulerColors } from './painting/draw-ruler.ts'

/** Rulers in millimetres from the trim box, with the extent of the selection. */
export function Rulers({ size }: { size: ValueStore<Size> }) {
  const { store } = useEditor()
  const xRef = useRef<HTMLCanvasElement>(null)
  const yRef = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let frame: number | undefined
    const draw = (): void => {
      frame = undefined
      const { view, document, selection } = store.get()
      const [x, y] = [xRef.current, yRef.current]
      if (view === undefined || x === null || y === null) return
      const { width, height } = size.get()
      setSize(x, width, RULER_PX)
      setSize(y, RULER_PX, height)
      const colors = colorsOf(x)
      const bounds = boundsOfLayers(selectedLayers(document, selection))
      const spanX = bounds === undefined ? undefined : ([bounds.x, bounds.x + bounds.width] as const)
      const spanY = bounds === undefined ? undefined : ([bounds.y, bounds.y + bounds.height] as const)
      drawRuler(x, 'x', view, colors, spanX)
      drawRuler(y, 'y', view, colors, spanY)
    }
    const schedule = (): void => {
      frame ??= requestAnimationFrame(draw)
    }
    const ends = [store.subscribe(schedule), size.subscribe(schedule)]
    schedule()
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame)
      for (const end of ends) end()
    }
  }, [store, size])
  return (
    <div className="pe-rulers" aria-hidden="true">
      <canvas ref={xRef} className="pe-ruler-x" />
      <canvas ref={yRef} className="pe-ruler-y" />
    </div>
  )
}

function setSize(canvas: HTMLCanvasElement, width: number, height: number): void {
  const wanted = { width: Math.round(width * devicePixelRatio), height: Math.round(height * devicePixelRatio) }
  if (canvas.width !== wanted.width || canvas.height !== wanted.height) Object.assign(canvas, wanted)
}

function colorsOf(canvas: HTMLCanvasElement): RulerColors {
  const style = getComputedStyle(canvas)
  return {
    line: style.borderTopColor,
    text: style.color,
    mark: style.outlineColor,
    font: `10px ${style.fontFamily}`,
  }
}
