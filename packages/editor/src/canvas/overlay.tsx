import { centreOf, type PrintArea, type Rect } from '@platen/drawing'
import { boundsOfLayers, cornersOf } from '../document/geometry/boxes.ts'
import type { Guide } from '../document/geometry/snap.ts'
import { type EditorLayer, findLayer } from '../document/layers.ts'
import type { View } from '../state/editor-state.ts'
import { useEditorState } from '../state/use-editor.ts'
import { useValue, type ValueStore } from '../state/value-store.ts'
import { rectToPx, toPx } from '../state/view.ts'
import { placeHandles } from './handles.ts'
import type { StageState } from './stage-state.ts'

export interface OverlayProps {
  stage: ValueStore<StageState>
  printArea: PrintArea
  width: number
  height: number
}

/** Lines and handles above the canvas: boxes of the print area, selection, guides. Screen readers use the layers panel. */
export function Overlay({ stage, printArea, width, height }: OverlayProps) {
  const view = useEditorState((state) => state.view)
  const layers = useEditorState((state) => state.document)
  const selection = useEditorState((state) => state.selection)
  const editing = useEditorState((state) => state.editing)
  const isEditable = useEditorState((state) => state.isEditable)
  const { guides, marquee, moving, readout } = useValue(stage)
  if (view === undefined || width === 0) return null
  const selected = selection.flatMap((id) => findLayer(layers, id)?.layer ?? [])
  const showsHandles = isEditable && moving.length === 0 && editing === undefined
  return (
    <svg className="pe-overlay" width={width} height={height} aria-hidden="true">
      <AreaLines printArea={printArea} view={view} width={width} height={height} />
      {selected.map((layer) => (
        <polygon key={layer.id} className="pe-selected" points={pointsOf(layer, view)} />
      ))}
      {selected.length > 1 && <Bounds layers={selected} view={view} />}
      {guides.map((guide) => (
        <GuideLine key={`${guide.axis}${guide.at}${guide.from}`} guide={guide} view={view} />
      ))}
      {marquee !== undefined && <rect className="pe-marquee" {...rectToPx(view, marquee)} />}
      {showsHandles && <Handles layers={selected} view={view} />}
      {readout !== undefined && <Readout text={readout} layers={selected} view={view} />}
    </svg>
  )
}

function pointsOf(layer: EditorLayer, view: View): string {
  return cornersOf(layer)
    .map((corner) => toPx(view, corner))
    .map(({ x, y }) => `${x},${y}`)
    .join(' ')
}

interface AreaProps extends Omit<OverlayProps, 'stage'> {
  view: View
}

/** The surroundings of the sheet, the bleed, the cut and the safe margin. */
function AreaLines({ printArea, view, width, height }: AreaProps) {
  const { widthMm, heightMm, bleedMm, safeMarginMm, shape } = printArea
  const inset = (by: number): Rect =>
    rectToPx(view, { x: by, y: by, width: widthMm - 2 * by, height: heightMm - 2 * by })
  const bleed = inset(-bleedMm)
  const trim = inset(0)
  const outside = `M0 0H${width}V${height}H0ZM${bleed.x} ${bleed.y}v${bleed.height}h${bleed.width}v${-bleed.height}Z`
  const cutAway = `M${bleed.x} ${bleed.y}h${bleed.width}v${bleed.height}h${-bleed.width}Z${outlineOf(trim, shape)}`
  const hasMargin = safeMarginMm > 0 && 2 * safeMarginMm < Math.min(widthMm, heightMm)
  return (
    <>
      <path className="pe-outside" d={outside} fillRule="evenodd" />
      <path className="pe-cut-away" d={cutAway} fillRule="evenodd" />
      {bleedMm > 0 && <rect className="pe-bleed" {...bleed} />}
      <path className="pe-trim" d={outlineOf(trim, shape)} />
      {hasMargin && <path className="pe-safe" d={outlineOf(inset(safeMarginMm), shape)} />}
    </>
  )
}

function outlineOf({ x, y, width, height }: Rect, shape: PrintArea['shape']): string {
  if (shape !== 'ellipse') return `M${x} ${y}v${height}h${width}v${-height}Z`
  const [rx, ry] = [width / 2, height / 2]
  return `M${x} ${y + ry}a${rx} ${ry} 0 1 0 ${width} 0a${rx} ${ry} 0 1 0 ${-width} 0Z`
}

function Bounds({ layers, view }: { layers: readonly EditorLayer[]; view: View }) {
  const bounds = boundsOfLayers(layers)
  return bounds === undefined ? null : <rect className="pe-bounds" {...rectToPx(view, bounds)} />
}

function GuideLine({ guide: { axis, at, from, to, kind }, view }: { guide: Guide; view: View }) {
  const one = toPx(view, axis === 'x' ? { x: at, y: from } : { x: from, y: at })
  const other = toPx(view, axis === 'x' ? { x: at, y: to } : { x: to, y: at })
  return <line className={`pe-guide ${kind}`} x1={one.x} y1={one.y} x2={other.x} y2={other.y} />
}

const HANDLE_RADIUS_PX = 6

function Handles({ layers, view }: { layers: readonly EditorLayer[]; view: View }) {
  return placeHandles(layers, view).map(({ kind, handle, at }) => (
    <circle
      key={handle === undefined ? kind : `${handle.x}${handle.y}`}
      className={`pe-handle ${kind}`}
      cx={at.x}
      cy={at.y}
      r={HANDLE_RADIUS_PX}
    />
  ))
}

function Readout({ text, layers, view }: { text: string; layers: readonly EditorLayer[]; view: View }) {
  const bounds = boundsOfLayers(layers)
  if (bounds === undefined) return null
  const centre = toPx(view, { x: centreOf(bounds).x, y: bounds.y + bounds.height })
  return (
    <text className="pe-readout" x={centre.x} y={centre.y + 24} textAnchor="middle">
      {text}
    </text>
  )
}
