import type { EditorLayer } from './layers.ts'

export function isHidden(layer: EditorLayer): boolean {
  return layer.hiddenOpacity !== undefined && layer.opacity === 0
}

/** Hides a layer, or shows it with its former opacity. */
export function withVisibility(layer: EditorLayer, isVisible: boolean): EditorLayer {
  if (isHidden(layer) !== isVisible) return layer
  if (!isVisible) return { ...layer, opacity: 0, hiddenOpacity: layer.opacity }
  const { hiddenOpacity = 1, ...shown } = layer
  return { ...shown, opacity: hiddenOpacity } as EditorLayer
}
