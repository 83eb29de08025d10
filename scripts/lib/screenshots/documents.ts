const INK = '#1c1d22'

interface TextOptions {
  y: number
  size?: number
  color?: string
  name?: string
}

/** A line of text on a postcard. */
function line(id: string, text: string, { y, size = 14, color = INK, ...more }: TextOptions): object {
  const box = { x: 10, y, width: 90, height: 12 }
  return { id, type: 'text', ...box, text, fontFamily: 'Inter', fontSizePt: size, color, ...more }
}

const on = (front: readonly object[], back: readonly object[] = []): object => ({
  version: 1,
  placements: [
    { printAreaId: 'front', layers: front },
    { printAreaId: 'back', layers: back },
  ],
})

/** A postcard with each kind of layer. Without an asset, its first version: two lines of text. */
export function draftDocument(assetId?: string): object {
  const greeting = line('greeting', 'Greetings from the studio', { y: 14, size: 22, name: 'Greeting' })
  const address = [line('sender', 'Ada Example, Lindenstr. 12, Berlin', { y: 14, size: 10 })]
  if (assetId === undefined) return on([greeting], address)
  const lake = { id: 'lake', name: 'Lake', type: 'image', assetId, x: 60, y: 34, width: 91, height: 74 }
  const panel = { id: 'panel', name: 'Panel', type: 'shape', shape: 'rect', x: -3, y: 34, width: 60, height: 74 }
  const link = { id: 'link', name: 'Link', type: 'qr', value: 'https://example.com/studio', x: 14, y: 50 }
  return on([{ ...panel, fill: '#1f5c3a' }, lake, { ...link, width: 32, height: 32 }, greeting], address)
}

/** A postcard with a text that sticks out, one that is hard to read, and a photo that is too small for its size. */
export function faultyDocument(assetId: string): object {
  const crop = { x: 0.4, y: 0.4, width: 0.1, height: 0.1 }
  const photo = { id: 'photo', type: 'image', assetId, x: -3, y: -3, width: 154, height: 111, crop }
  const outside = { ...line('outside', 'Hall 7, booth 12', { y: 90, size: 18, color: '#ffffff' }), x: 110 }
  return on([photo, line('title', 'Meet us at the fair', { y: 40, size: 30, color: '#ffffff' }), outside])
}

/** A postcard with three placeholders. */
export function fieldsDocument(): object {
  const texts = ['Dear {{name}}', 'your table: {{table}}', 'your seat: {{seat}}']
  return on(texts.map((text, index) => line(`field-${index}`, text, { y: 20 + 20 * index, size: 20 })))
}
