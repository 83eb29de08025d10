import type { EditorLayer } from '../document/layers.ts'
import type { EditorServices } from '../state/use-editor.ts'

type Text = EditorServices['text']

const LONGEST = 40

/** Returns the name of a layer for people: its own name, its first words, or what it is. */
export function layerName(layer: EditorLayer, text: Text): string {
  if (layer.name !== undefined && layer.name !== '') return layer.name
  switch (layer.type) {
    case 'text':
      return shortened(layer.text) || text('emptyText')
    case 'qr':
      return text('qrNamed', { value: shortened(layer.value) })
    case 'image':
      return text('photo')
    case 'shape':
      return text(SHAPES[layer.shape])
  }
}

const SHAPES = { rect: 'rectangle', ellipse: 'ellipse', line: 'line', path: 'freeForm' } as const

/** Returns the name of one layer, or how many there are. */
export function describeLayers(layers: readonly EditorLayer[], text: Text): string {
  const [only] = layers
  return only !== undefined && layers.length === 1
    ? layerName(only, text)
    : text('layerCount', { count: layers.length })
}

function shortened(value: string): string {
  const words = value.trim().replaceAll(/\s+/g, ' ')
  const characters = [...words.slice(0, 2 * LONGEST)]
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : words
}
