import type { PrintArea, Product, ProductImage } from '@platen/client'
import { useTexts } from '@platen/ui'

export interface ProductPictureProps {
  product: Product
  /** How wide the picture is on the page, as in the attribute `sizes`. */
  sizes: string
  image?: ProductImage | undefined
  isFirst?: boolean
}

/** Widths that the service offers. */
const WIDTHS = [160, 320, 640, 1280]

/** The picture of a product, or an outline of what is printed if it has none. */
export function ProductPicture({ product, sizes, image = product.images[0], isFirst = false }: ProductPictureProps) {
  if (image === undefined) return <Outline areas={product.printAreas} />
  return (
    <img
      className="picture"
      alt={image.alt}
      src={`${image.url}?width=640`}
      srcSet={WIDTHS.map((width) => `${image.url}?width=${width} ${width}w`).join(', ')}
      sizes={sizes}
      loading={isFirst ? 'eager' : 'lazy'}
      decoding="async"
    />
  )
}

const SIDE = 100
const LARGEST = 64

/** Draws the first print area in its proportions, and a second one behind it. */
function Outline({ areas }: { areas: readonly PrintArea[] }) {
  const { formats } = useTexts()
  const [first, second] = areas
  if (first === undefined) return null
  return (
    <div className="picture outline">
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} aria-hidden="true" focusable="false">
        {second === undefined ? null : <Sheet area={second} shift={7} />}
        <Sheet area={first} shift={second === undefined ? 0 : -3} />
      </svg>
      <span className="outline-size">{formats.size(first.widthMm, first.heightMm)}</span>
    </div>
  )
}

function Sheet({ area, shift }: { area: PrintArea; shift: number }) {
  const scale = LARGEST / Math.max(area.widthMm, area.heightMm)
  const [width, height, margin] = [area.widthMm * scale, area.heightMm * scale, Math.max(area.safeMarginMm * scale, 2)]
  const box = { x: (SIDE - width) / 2 + shift, y: (SIDE - height) / 2 - 4 - shift, width, height }
  const safe = { x: box.x + margin, y: box.y + margin, width: width - 2 * margin, height: height - 2 * margin }
  const isRound = area.shape === 'ellipse'
  return (
    <g>
      <rect className="sheet" {...box} rx={isRound ? width / 2 : 1.5} ry={isRound ? height / 2 : 1.5} />
      <rect className="safe" {...safe} rx={isRound ? safe.width / 2 : 0.5} ry={isRound ? safe.height / 2 : 0.5} />
    </g>
  )
}
