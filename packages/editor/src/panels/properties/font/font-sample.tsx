import { type DesignDocument, normalizeLayer, type PrintArea } from '@platen/drawing'
import { useEffect, useRef, useState } from 'react'
import type { PageImage } from '../../../engine/index.ts'
import type { PanelEngine } from '../../../state/host.ts'
import { useEngine } from '../../services/use-panels.ts'

const WIDTH_MM = 50
const HEIGHT_MM = 8
const PX_PER_MM = 4

const AREA: PrintArea = {
  ...{ id: 'sample', name: 'sample', widthMm: WIDTH_MM, heightMm: HEIGHT_MM, bleedMm: 0, safeMarginMm: 0 },
  ...{ targetDpi: 300, required: false },
}

const NO_IMAGES = new Map<string, PageImage>()

function sampleOf(family: string): DesignDocument {
  const layer = normalizeLayer({
    ...{ id: 'sample', type: 'text', x: 0, y: 0, width: 500, height: HEIGHT_MM, text: family, fontFamily: family },
    ...{ fontSizePt: 13, verticalAlign: 'middle' },
  })
  return { version: 1, placements: [{ printAreaId: AREA.id, layers: [layer] }] }
}

/** The name of a family in its own letters, drawn like the design. Its font is loaded when the sample comes into view. */
export function FontSample({ family }: { family: string }) {
  const engine = useEngine()
  const ref = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  useEffect(() => {
    const canvas = ref.current
    if (canvas === null || engine === undefined) return
    let isCurrent = true
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      void draw(engine, canvas, family).then(() => isCurrent && setIsDrawn(true))
    })
    observer.observe(canvas)
    return () => {
      isCurrent = false
      observer.disconnect()
    }
  }, [engine, family])
  return (
    <span className="pe-font-sample">
      <span className={isDrawn ? 'pe-hidden-text' : undefined}>{family}</span>
      <canvas ref={ref} aria-hidden className={isDrawn ? undefined : 'pe-pending'} />
    </span>
  )
}

async function draw(engine: PanelEngine, canvas: HTMLCanvasElement, family: string): Promise<void> {
  const document = sampleOf(family)
  await engine.fonts.ready(document)
  if (!engine.fonts.isReady(document)) return
  const pxPerMm = PX_PER_MM * (globalThis.devicePixelRatio || 1)
  canvas.width = Math.round(WIDTH_MM * pxPerMm)
  canvas.height = Math.round(HEIGHT_MM * pxPerMm)
  const context = canvas.getContext('2d')
  if (context === null) return
  engine.drawPlacement(context, { document, printArea: AREA, images: NO_IMAGES, pxPerMm })
  // The samples take the colour of the text around them, which dark themes change.
  context.globalCompositeOperation = 'source-in'
  context.fillStyle = getComputedStyle(canvas).color
  context.fillRect(0, 0, canvas.width, canvas.height)
}
