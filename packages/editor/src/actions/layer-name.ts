import type { DesignDocument } from '@platen/drawing'
import type { EditorLayer } from '../document/layers.ts'
import type { EditorServices } from '../state/use-editor.ts'

type Text = EditorServices['text']

const LONGEST = 40
/** The longest name that the document takes. */
const LONGEST_NAME = 100

/** Returns the name of a layer for people: its own name, its first words, or what it is. */
export function layerName(layer: EditorLayer, text: Text): string {
  return layer.name !== undefined && layer.name !== '' ? layer.name : automaticName(layer, text)
}

function automaticName(layer: EditorLayer, text: Text): string {
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

/**
 * Names new layers that would have the same name as another one, such as "Photo 2". Texts and codes are told apart by
 * what they say.
 */
export function withOwnNames(document: DesignDocument, layers: readonly EditorLayer[], text: Text): EditorLayer[] {
  const known = document.placements.flatMap((placement) => placement.layers)
  const taken = new Set(known.map((layer) => layerName(layer, text)))
  return layers.map((layer) => {
    const isAutomatic = layer.name === undefined || layer.name === ''
    if (isAutomatic && (layer.type === 'text' || layer.type === 'qr')) return layer
    const name = freeName(layerName(layer, text), automaticName(layer, text), taken)
    const isNew = name !== layerName(layer, text)
    taken.add(name)
    return isNew ? { ...layer, name } : layer
  })
}

function freeName(name: string, automatic: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  // A copy of "Photo 2" is "Photo 3", but a copy of "Summer 2024" is "Summer 2024 2".
  const base = name.startsWith(`${automatic} `) && /^\d+$/.test(name.slice(automatic.length + 1)) ? automatic : name
  const short = base.slice(0, LONGEST_NAME - 4).toWellFormed()
  for (let number = 2; ; number += 1) {
    if (!taken.has(`${short} ${number}`)) return `${short} ${number}`
  }
}

/** Returns the name of a layer for an uploaded file. Undefined if the file has a name that says nothing. */
export function nameOfFile(fileName: string): string | undefined {
  const clean = fileName.replaceAll('\0', '').toWellFormed()
  const name = clean
    .replace(/\.[^.]{1,5}$/, '')
    .trim()
    .slice(0, LONGEST_NAME)
    .toWellFormed()
  // Browsers call what is pasted `image.png`.
  return name === '' || name.toLowerCase() === 'image' ? undefined : name
}

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
