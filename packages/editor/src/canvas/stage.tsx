import type { PrintArea } from '@platen/drawing'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { shownAssets } from '../document/shown-assets.ts'
import type { Engine } from '../engine/index.ts'
import type { EditorState, View } from '../state/editor-state.ts'
import { useEditor, useEditorState } from '../state/use-editor.ts'
import { createValueStore, useValue, type ValueStore } from '../state/value-store.ts'
import { fitView, keepInSight, type Size } from '../state/view.ts'
import { TextInput } from '../text/text-input.tsx'
import { CropBar } from './crop-bar.tsx'
import { pointerAt } from './gestures/pointer-controller.ts'
import { usePointer } from './gestures/use-pointer.ts'
import { Legend } from './legend.tsx'
import { Overlay } from './overlay.tsx'
import type { PageImages } from './painting/page-images.ts'
import { createPainter } from './painting/painter.ts'
import { Rulers } from './rulers.tsx'
import { RESTING, type StageState } from './stage-state.ts'

const MARGIN_PX = 36
/** The height of the legend, which lies on the lower edge of the stage. */
const LEGEND_PX = 44
/** The height in pixels below which the page needs the whole stage. Phones hide the legend below an open panel. */
const LOW_PX = 300

export interface StageProps {
  engine: Engine
  images: PageImages
  printArea: PrintArea
  /** Called with files that were dropped on the stage, and the point in millimetres. */
  onDropFiles(files: readonly File[], at: { x: number; y: number }): void
  /** Above the page, below the bars of the stage. */
  children?: ReactNode
}

/** The canvas on which a side is designed. */
export function Stage({ engine, images, printArea, onDropFiles, children }: StageProps) {
  const { store, text, locale, sideName } = useEditor()
  const format = useMemo(
    () => new Intl.NumberFormat(locale, { style: 'unit', unit: 'millimeter', maximumFractionDigits: 1 }),
    [locale],
  )
  const stageRef = useRef<HTMLDivElement>(null)
  const canvasRef = useRef<HTMLCanvasElement>(null)
  const stage = useMemo(() => createValueStore<StageState>(RESTING), [])
  const size = useMemo(() => createValueStore<Size>({ width: 0, height: 0 }), [])
  useStageSize(stageRef, size)
  useFittedView(size, printArea)
  usePainting(canvasRef, { engine, images, printArea, stage, size })
  const deps = useMemo(
    () => ({ store, stage, printArea, engine, locale, formatMm: (mm: number) => format.format(mm) }),
    [store, stage, printArea, engine, locale, format],
  )
  usePointer(stageRef, deps, size)
  const { width, height } = useValue(size)
  const cursor = useEditorState(({ editing }) => (editing?.kind === 'crop' ? 'move' : 'default'))

  return (
    <section
      ref={stageRef}
      className="pe-stage"
      part="stage"
      aria-label={text('canvasOf', { side: sideName(printArea) })}
      data-cursor={cursor}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        const files = [...event.dataTransfer.files]
        if (files.length > 0) onDropFiles(files, pointerAt(store, event.currentTarget, event).mm)
      }}
    >
      <canvas
        ref={canvasRef}
        className="pe-canvas"
        role="img"
        aria-label={text('canvasOf', { side: sideName(printArea) })}
      />
      <Overlay stage={stage} printArea={printArea} width={width} height={height} />
      <Rulers size={size} />
      <TextInput engine={engine} />
      {children}
      {width === 0 ? null : <Legend printArea={printArea} widthPx={width} />}
      <CropBar />
    </section>
  )
}

function useStageSize(ref: RefObject<HTMLDivElement | null>, size: ValueStore<Size>): void {
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = (): void => size.set({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref, size])
}

/**
 * Shows the whole side at first. When the stage gets another size, a view that the customer has not changed fits again,
 * and another one stays in sight.
 */
function useFittedView(size: ValueStore<Size>, printArea: PrintArea): void {
  const { store } = useEditor()
  const fitted = useRef<View>(undefined)
  const hasView = useEditorState(({ view }) => view !== undefined)
  const present = useValue(size)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a lost view, such as after a change of the side, is fitted anew
  useLayoutEffect(() => {
    if (present.width === 0 || present.height === 0) return
    const { view } = store.get()
    if (view === undefined || view === fitted.current) {
      const side = Math.min(MARGIN_PX, present.width / 16)
      const bottom = present.height < LOW_PX ? side : Math.max(side, LEGEND_PX + side / 3)
      fitted.current = fitView(printArea, present, { side, top: side, bottom })
      store.set({ view: fitted.current })
    } else {
      store.set({ view: keepInSight(view, printArea, present) })
    }
  }, [store, present, printArea, hasView])
}

interface Painting {
  engine: Engine
  images: PageImages
  printArea: PrintArea
  stage: ValueStore<StageState>
  size: ValueStore<Size>
}

/** Paints in the next frame after a change, so that several changes cost one painting. */
function usePainting(canvasRef: RefObject<HTMLCanvasElement | null>, painting: Painting): void {
  const { store } = useEditor()
  const { engine, images, printArea, stage, size } = painting
  useEffect(() => {
    const canvas = canvasRef.current
    const context = canvas?.getContext('2d')
    if (canvas === null || context === null || context === undefined) return
    const painter = createPainter(engine)
    let shown: readonly unknown[] = []
    const showImages = ({ document, assets }: EditorState): void => {
      if (shown[0] === document && shown[1] === assets) return
      shown = [document, assets]
      images.show(canvas, shownAssets(document, printArea.id, assets))
    }
    let frame: number | undefined
    const paint = (): void => {
      frame = undefined
      const state = store.get()
      if (state.view === undefined) return
      fitCanvas(canvas, size.get())
      const moving = stage.get().moving
      const waiting = painter.paint(context, {
        ...{ state, view: state.view, printArea, moving },
        images: images.current(),
        devicePixelRatio,
      })
      if (waiting.length > 0) engine.fonts.ready(state.document).catch(() => undefined)
      showImages(state)
    }
    const schedule = (): void => {
      frame ??= requestAnimationFrame(paint)
    }
    const ends = [
      store.subscribe(schedule),
      stage.subscribe(schedule),
      size.subscribe(schedule),
      engine.fonts.onChange(schedule),
      images.onChange(schedule),
    ]
    schedule()
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame)
      images.show(canvas, [])
      for (const end of ends) end()
    }
  }, [canvasRef, engine, images, printArea, stage, size, store])
}

function fitCanvas(canvas: HTMLCanvasElement, { width, height }: Size): void {
  const wanted = { width: Math.round(width * devicePixelRatio), height: Math.round(height * devicePixelRatio) }
  if (canvas.width === wanted.width && canvas.height === wanted.height) return
  Object.assign(canvas, wanted)
}
