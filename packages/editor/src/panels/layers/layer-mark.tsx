import { Icon, type IconName } from '@platen/ui'
import type { EditorLayer } from '../../document/layers.ts'
import { useEditorState } from '../../state/use-editor.ts'
import { AssetThumbnail } from '../images/asset-thumbnail.tsx'
import type { LayerRow } from './layer-rows.ts'

/** Shows what a row is: the picture of an image, otherwise an icon with the colour of the layer. */
export function LayerMark({ row }: { row: LayerRow }) {
  const [layer] = row.layers
  const isKnown = useEditorState(({ assets }) => layer?.type === 'image' && assets.has(layer.assetId))
  const color = row.kind === 'group' || layer === undefined ? undefined : colorOf(layer)
  return (
    <span className="pe-layer-mark" aria-hidden>
      <Icon name={iconOf(row)} size={20} />
      {row.kind === 'layer' && layer?.type === 'image' && isKnown ? <AssetThumbnail assetId={layer.assetId} /> : null}
      {color === undefined ? null : (
        <span className="pe-layer-color">
          <span style={{ backgroundColor: color }} />
        </span>
      )}
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
