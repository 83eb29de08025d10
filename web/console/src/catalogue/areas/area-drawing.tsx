import { type MessageKey, useTexts } from '@platen/ui'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import type { DraftArea } from '../product/draft/draft.ts'
import {
  type AreaSize,
  type Box,
  dragged,
  ellipseOutline,
  LIMITS,
  type Measure,
  type Placed,
  placeArea,
  within,
} from './area-geometry.ts'

export interface AreaDrawingProps {
  area: DraftArea
  onChange(measure: Measure, mm: number): void
}

const HEIGHT = 320
const MARGIN = 40

/** Draws a print area to scale. Its handles change its measures, with the pointer, by touch and with arrow keys. */
export function AreaDrawing({ area, onChange }: AreaDrawingProps) {
  const { text, formats } = useTexts()
  const box = useRef<HTMLFieldSetElement>(null)
  const width = useWidth(box)
  const [drag, setDrag] = useState<Drag>()
  const size = sizeOf(area)
  const placed = placeArea(size, { width, height: HEIGHT }, MARGIN, drag?.scale)
  const name = area.name || text('consoleCatalogue.unnamed')
  return (
    <fieldset className="area-drawing" ref={box} aria-label={text('consoleCatalogue.drawing', { name })}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the group has a name, and each handle */}
      <svg width={width} height={HEIGHT}>
        <Outlines placed={placed} isRound={area.shape === 'ellipse'} />
        <text className="area-size" x={width / 2} y={HEIGHT - 10} textAnchor="middle">
          {formats.size(size.widthMm, size.heightMm)}
        </text>
        {HANDLES.map(({ measure, label }) => (
          <Handle
            key={measure}
            measure={measure}
            label={text(label)}
            mm={size[measure]}
            placed={placed}
            drag={drag}
            onDrag={setDrag}
            onChange={(mm) => onChange(measure, mm)}
          />
        ))}
      </svg>
      <ul className="area-legend" aria-label={text('consoleCatalogue.legend')}>
        {LEGEND.map(([line, about]) => (
          <li key={line}>
            <svg width={28} height={16} aria-hidden>
              <rect className={line} x={1} y={1} width={26} height={14} />
            </svg>
            <span>{text(about)}</span>
          </li>
        ))}
      </ul>
      <p className="note">{text('consoleCatalogue.drawingHelp')}</p>
    </fieldset>
  )
}

/** An area is drawn while a field is empty, too. */
function sizeOf({ widthMm = 1, heightMm = 1, bleedMm = 0, safeMarginMm = 0 }: DraftArea): AreaSize {
  return { widthMm: Math.max(widthMm, 0.1), heightMm: Math.max(heightMm, 0.1), bleedMm, safeMarginMm }
}

const HANDLES: readonly { measure: Measure; label: MessageKey }[] = [
  { measure: 'widthMm', label: 'consoleCatalogue.width' },
  { measure: 'heightMm', label: 'consoleCatalogue.height' },
  { measure: 'bleedMm', label: 'consoleCatalogue.bleed' },
  { measure: 'safeMarginMm', label: 'consoleCatalogue.safeMargin' },
]

const LEGEND = [
  ['area-trim', 'consoleCatalogue.legendTrim'],
  ['area-bleed', 'consoleCatalogue.legendBleed'],
  ['area-safe', 'consoleCatalogue.legendSafe'],
] as const

function Outlines({ placed: { bleed, trim, safe, scale }, isRound }: { placed: Placed; isRound: boolean }) {
  if (!isRound) {
    return (
      <>
        <rect className="area-bleed" {...bleed} />
        <rect className="area-trim" {...trim} />
        <rect className="area-safe" {...safe} />
      </>
    )
  }
  const inside = (trim.width - safe.width) / 2
  return (
    <>
      <rect className="area-page" {...bleed} />
      <path className="area-bleed" d={ellipseOutline(trim, (bleed.width - trim.width) / 2)} />
      <path className="area-trim" d={ellipseOutline(trim, 0)} />
      {scale > 0 ? <path className="area-safe" d={ellipseOutline(trim, -inside)} /> : null}
    </>
  )
}

interface Drag {
  measure: Measure
  from: number
  x: number
  y: number
  /** The drawing keeps its scale, so that the edge stays under the pointer. */
  scale: number
}

interface HandleProps {
  measure: Measure
  label: string
  mm: number
  placed: Placed
  drag: Drag | undefined
  onDrag(drag: Drag | undefined): void
  onChange(mm: number): void
}

function Handle({ measure, label, mm, placed, drag, onDrag, onChange }: HandleProps) {
  const { formats } = useTexts()
  const { x, y } = POSITIONS[measure](placed)
  const isUpright = measure === 'heightMm'
  const press = (event: PointerEvent<SVGGElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId)
    onDrag({ measure, from: mm, x: event.clientX, y: event.clientY, scale: placed.scale })
  }
  const move = (event: PointerEvent): void => {
    if (drag?.measure !== measure) return
    const moved = { dx: event.clientX - drag.x, dy: event.clientY - drag.y }
    onChange(dragged(measure, drag.from, moved, drag.scale, event.shiftKey))
  }
  const end = (): void => onDrag(undefined)
  return (
    <g
      className="area-handle"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation={isUpright ? 'vertical' : 'horizontal'}
      aria-valuemin={LIMITS[measure].min}
      aria-valuemax={LIMITS[measure].max}
      aria-valuenow={mm}
      aria-valuetext={formats.number(mm, { style: 'unit', unit: 'millimeter', maximumFractionDigits: 3 })}
      transform={`translate(${x} ${y})`}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={(event) => {
        const next = steppedBy(event, measure, mm)
        if (next === undefined) return
        event.preventDefault()
        onChange(next)
      }}
    >
      <circle className="area-touch" r={20} />
      <rect className="area-grip" x={-7} y={-7} width={14} height={14} rx={isMargin(measure) ? 7 : 3} />
      <text className="area-handle-text" {...TEXT_PLACES[measure]}>
        {label} {formats.number(mm, { maximumFractionDigits: 3 })}
      </text>
    </g>
  )
}

const isMargin = (measure: Measure): boolean => measure === 'bleedMm' || measure === 'safeMarginMm'

const along = ({ y, height }: Box, share: number): number => y + height * share

const POSITIONS: Readonly<Record<Measure, (placed: Placed) => { x: number; y: number }>> = {
  widthMm: ({ trim }) => ({ x: trim.x + trim.width, y: along(trim, 0.5) }),
  heightMm: ({ trim }) => ({ x: trim.x + trim.width / 2, y: along(trim, 1) }),
  bleedMm: ({ bleed, trim }) => ({ x: bleed.x, y: along(trim, 0.25) }),
  safeMarginMm: ({ safe, trim }) => ({ x: safe.x, y: along(trim, 0.75) }),
}

const TEXT_PLACES: Readonly<Record<Measure, { x: number; y: number; textAnchor: 'start' | 'middle' | 'end' }>> = {
  widthMm: { x: -14, y: 4, textAnchor: 'end' },
  heightMm: { x: 0, y: -14, textAnchor: 'middle' },
  bleedMm: { x: 16, y: 4, textAnchor: 'start' },
  safeMarginMm: { x: 14, y: 4, textAnchor: 'start' },
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
}

/** Arrow keys add a millimetre, with Shift ten of them, with Alt a tenth. */
function steppedBy({ key, shiftKey, altKey }: KeyboardEvent, measure: Measure, mm: number): number | undefined {
  if (key === 'Home') return LIMITS[measure].min
  if (key === 'End') return LIMITS[measure].max
  const steps = STEPS[key]
  if (steps === undefined) return undefined
  return within(measure, mm + steps * (altKey ? 0.1 : shiftKey ? 10 : 1), 1_000)
}

/** The width of an element in pixels, which follows the window. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(480)
  useEffect(() => {
    if (element.current === null) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 480)))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}
