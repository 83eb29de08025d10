import { Icon, type IconName } from '@platen/ui'
import type { EditorLayer } from '../../document/layers.ts'
import { useEditorState } from '../../state/use-editor.ts'
import { AssetThumbnail } from '../images/asset-thumbnail.tsx'
import type { LayerRow } from './layer-rows.ts'

/** Shows what a row is: the picture of an image, a small shape in its colour, or an icon beside the colour. */
export function LayerMark({ row }: { row: LayerRow }) {
  const [layer] = row.layers
  const isKnown = useEditorState(({ assets }) => layer?.type === 'image' && assets.has(layer.assetId))
  const color = row.kind === 'group' || layer === undefined ? undefined : colorOf(layer)
  if (color !== undefined && layer?.type === 'shape' && (layer.shape === 'rect' || layer.shape === 'ellipse')) {
    return (
      <span className="pe-layer-mark" aria-hidden>
        <Swatch color={color} shape={layer.shape} />
      </span>
    )
  }
  return (
    <span className="pe-layer-mark" aria-hidden>
      <Icon name={iconOf(row)} size={20} />
      {row.kind === 'layer' && layer?.type === 'image' && isKnown ? <AssetThumbnail assetId={layer.assetId} /> : null}
      {color === undefined ? null : <Swatch color={color} shape="dot" />}
    </span>
  )
}

function Swatch({ color, shape }: { color: string; shape: 'rect' | 'ellipse' | 'dot' }) {
  return (
    <span className={`pe-layer-color ${shape}`}>
      <span style={{ backgroundColor: color }} />
    </span>
  )
}

function colorOf(layer: EditorLayer): string | undefined {
  switch (layer.type) {
    case 'text':
    case 'qr':
      return layer.color
    case 'shape':
      return layer.fill ?? layer.stroke?.color
    case 'image':
      return undefined
  }
}

function iconOf({ kind, layers: [layer] }: LayerRow): IconName {
  if (kind === 'group') return 'group'
  if (layer?.type === 'shape') return layer.shape === 'path' || layer.shape === 'line' ? 'path' : 'shapes'
  return layer?.type ?? 'layers'
}
