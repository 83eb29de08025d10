/** What `GET /products` states about a product, as far as it is needed for a design. */
export interface Product {
  id: string
  name: string
  status: string
  printAreas: readonly PrintArea[]
  variants: readonly { id: string; available: boolean; priceTiers: readonly { minQuantity: number }[] }[]
}

interface PrintArea {
  id: string
  widthMm: number
  heightMm: number
  required: boolean
}

/** Returns a document that passes preflight: a coloured rectangle and a short text in the middle of the print areas. */
export function documentFor({ printAreas }: Product, text: string) {
  const required = printAreas.filter((area) => area.required)
  const used = required.length > 0 ? required : printAreas.slice(0, 1)
  return { version: 1, placements: used.map(({ id, ...size }) => ({ printAreaId: id, layers: layersFor(size, text) })) }
}

function layersFor({ widthMm, heightMm }: Omit<PrintArea, 'id'>, text: string) {
  const middle = {
    x: round(widthMm / 4),
    y: round(heightMm / 4),
    width: round(widthMm / 2),
    height: round(heightMm / 2),
  }
  const fontSizePt = Math.max(7, Math.min(24, Math.floor(middle.height / 2)))
  return [
    { id: 'background', type: 'shape', shape: 'rect', ...middle, fill: '#DCE6F2' },
    { id: 'text', type: 'text', ...middle, text, fontFamily: 'Inter', fontSizePt },
  ]
}

const round = (lengthMm: number): number => Math.round(lengthMm * 1000) / 1000
