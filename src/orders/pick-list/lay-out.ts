import type { SheetLayer } from '../../designs/index.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import type { Order } from '../order/store.ts'
import type { PickedItem, PickList } from './collect.ts'
import { box, moveDown, PAGE, rule, small, type TextStyle, text } from './page.ts'

/** Measures texts at the width of their boxes. Returns the heights in millimetres, in the order of the texts. */
export type MeasureTexts = (texts: readonly SheetLayer[]) => Promise<readonly number[]>

type HeightOf = (text: SheetLayer) => number

/** Layers that stay together on one page. Their positions are relative to the top of the block. */
interface Block {
  height: number
  layers: SheetLayer[]
}

/** Lays out the pages of one pick list: postal address, shipping method, and each item with a tick box. */
export async function layOutPickList(measure: MeasureTexts, list: PickList, printedAt: Date): Promise<SheetLayer[][]> {
  // Another process measures the texts. The first pass only collects them, so that one request measures all.
  const texts: SheetLayer[] = []
  blocksOf((text) => texts.push(text), list)
  const heights = (await measure(texts)).values()
  const blocks = blocksOf(() => heights.next().value ?? 0, list)
  const pages = fillPages(blocks, continuedHead(list.order))
  return pages.map((layers, index) => [
    ...layers,
    ...footOf(list.order, { page: index + 1, pages: pages.length, printedAt }),
  ])
}

export function layOutErrorPage(number: string, printedAt: Date): SheetLayer[] {
  const width = PAGE.right - PAGE.left
  return [
    text(number, { x: PAGE.left, y: PAGE.top, width }, { sizePt: 26, weight: 700 }),
    text('The pick list of this order could not be drawn. Download its pick list alone, or open the order.', {
      ...{ x: PAGE.left, y: PAGE.top + 16, width },
    }),
    ...footOf({ number }, { page: 1, pages: 1, printedAt }),
  ]
}

function blocksOf(heightOf: HeightOf, { order, shipping, items }: PickList): Block[] {
  const head = [headOf(heightOf, order), addressOf(heightOf, { order, shipping, items }), tableHead()]
  return [...head, ...items.map((item) => rowOf(heightOf, order, item))]
}

/**
 * Distributes blocks over pages.
 *
 * @param onNext block at the top of every page after the first
 */
function fillPages(blocks: readonly Block[], onNext: Block): SheetLayer[][] {
  let page: SheetLayer[] = []
  const pages = [page]
  let y = PAGE.top
  const put = ({ layers, height }: Block) => {
    page.push(...layers.map((layer) => moveDown(layer, y)))
    y += height
  }
  for (const block of blocks) {
    if (y + block.height > PAGE.bottom) {
      page = []
      pages.push(page)
      y = PAGE.top
      put(onNext)
    }
    put(block)
  }
  return pages
}

function stack(
  heightOf: HeightOf,
  texts: readonly (readonly [value: string, style?: TextStyle])[],
  { x, width }: { x: number; width: number },
): Block {
  const layers: SheetLayer[] = []
  let height = 0
  for (const [value, style] of texts) {
    const layer = text(value, { x, y: height, width }, style)
    layers.push(layer)
    height += heightOf(layer)
  }
  return { layers, height }
}

const QR_SIZE = 30

function headOf(heightOf: HeightOf, order: Order): Block {
  const width = PAGE.right - PAGE.left - QR_SIZE - 5
  const status = order.status.replaceAll('_', ' ')
  const { layers, height } = stack(
    heightOf,
    [
      ['Pick list', small],
      [order.number, { sizePt: 26, weight: 700 }],
      [`${status} · ordered ${order.createdAt.toISOString().slice(0, 10)}`, { sizePt: 10 }],
    ],
    { x: PAGE.left, width },
  )
  // The modules of the QR code end at the right edge of the page area, and only its quiet zone extends beyond.
  const qr = { x: PAGE.right - QR_SIZE + 3, y: -3, width: QR_SIZE, height: QR_SIZE }
  layers.push({ id: 'qr', type: 'qr', ...qr, value: order.number, errorCorrection: 'M' })
  const warning = warningOf(heightOf, order, height + 2)
  const end = warning === undefined ? height : height + 2 + warning.height
  return { layers: [...layers, ...(warning?.layers ?? [])], height: Math.max(QR_SIZE - 3, end) + 4 }
}

/**
 * Creates the warning of a held or cancelled order. A printed pick list must show holds and cancellations that were
 * known when it was printed.
 */
function warningOf(heightOf: HeightOf, order: Order, y: number): Block | undefined {
  const warning = warningText(order)
  if (warning === undefined) return undefined
  const width = PAGE.right - PAGE.left - QR_SIZE - 5
  const { layers, height } = stack(heightOf, [[warning, { sizePt: 11, weight: 700 }]], {
    x: PAGE.left + 3,
    width: width - 6,
  })
  const frame = { x: PAGE.left, y: 0, width, height: height + 4 }
  const framed = [box(frame), ...layers.map((layer) => moveDown(layer, 2))]
  return { layers: framed.map((layer) => moveDown(layer, y)), height: frame.height }
}

function warningText({ status, hold }: Order): string | undefined {
  switch (status) {
    case 'on_hold':
      return `ON HOLD: ${clip(hold?.reason ?? 'do not work on it', 300)}`
    case 'cancelled':
      return 'CANCELLED: do not work on it'
    default:
      return undefined
  }
}

function addressOf(heightOf: HeightOf, { order, shipping, items }: PickList): Block {
  const half = (PAGE.right - PAGE.left) / 2 - 4
  const [name = '', ...lines] = linesOf(order.shippingAddress)
  const address = stack(
    heightOf,
    [['Ship to', small], [name, { sizePt: 12, weight: 600 }], ...lines.map((line) => [line, { sizePt: 11 }] as const)],
    { x: PAGE.left, width: half },
  )
  const pieces = items.reduce((sum, { left }) => sum + left, 0)
  const summary = stack(
    heightOf,
    [
      ['Shipping', small],
      [shipping, { sizePt: 12, weight: 600 }],
      [' ', { sizePt: 5 }],
      ['To pack', small],
      [`${count(pieces, 'piece')} of ${count(items.length, 'item')}`, { sizePt: 12, weight: 600 }],
    ],
    { x: PAGE.left + half + 8, width: half },
  )
  const height = Math.max(address.height, summary.height) + 5
  return { layers: [rule(-2), ...address.layers, ...summary.layers], height }
}

function linesOf({ name, company, line1, line2, postalCode, city, region, country, phone }: PostalAddress): string[] {
  const parts = CODE_AFTER_CITY.has(country) ? [city, region, postalCode] : [postalCode, city, region]
  // If city and region have the same name, it is printed once.
  const place = [...new Set(parts.filter((part) => part !== undefined))].join(' ')
  const lines = [name, company, line1, line2, place, countryName(country), phone]
  return lines.filter((line) => line !== undefined)
}

/** Countries that write the postal code after the city (UPU S42). Most others write it before the city. */
const CODE_AFTER_CITY = new Set('AU BR CA CN GB ID IE IN NZ PH SG TH TW UA US ZA'.split(' '))

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

function countryName(code: string): string {
  const name = countryNames.of(code)
  return name === undefined || name === code ? code : `${name} (${code})`
}

const COLUMNS = { tick: PAGE.left, quantity: PAGE.left + 10, picture: PAGE.left + 35, text: PAGE.left + 66 }

function tableHead(): Block {
  const width = 24
  const layers = [
    text('Pieces', { x: COLUMNS.quantity, y: 0, width }, small),
    text('Item', { x: COLUMNS.text, y: 0, width }, small),
    rule(4.8, 0.4),
  ]
  return { layers, height: 7 }
}

const PICTURE = { width: 27, height: 21 }
/** The texts only help to tell items apart, so the pick list shortens them. The print file contains them in full. */
const TEXTS_SHOWN = 10
const TEXT_SHOWN = 120

function rowOf(heightOf: HeightOf, { number }: Order, item: PickedItem): Block {
  const { position, left, quantity } = item
  const shown = item.texts.slice(0, TEXTS_SHOWN)
  const more = item.texts.length - shown.length
  const description = stack(
    heightOf,
    [
      [`${position}. ${item.product}`, { sizePt: 11, weight: 600 }],
      [item.variant, {}],
      ...shown.map(([name, value]) => [`${clip(name, 60)}: \u2068${clip(value, TEXT_SHOWN)}\u2069`] as const),
      ...(more > 0 ? [[`and ${count(more, 'more text')}`, small] as const] : []),
      ...(item.warning === undefined ? [] : [[item.warning, { weight: 700 }] as const]),
      [`${number}-${position} · ${item.designId}`, small],
    ],
    { x: COLUMNS.text, width: PAGE.right - COLUMNS.text },
  )
  const pieces = stack(
    heightOf,
    [
      [String(left), { sizePt: 16, weight: 700 }],
      ...(left < quantity ? [[`of ${quantity}, ${quantity - left} shipped`, small] as const] : []),
    ],
    { x: COLUMNS.quantity, width: COLUMNS.picture - COLUMNS.quantity - 2 },
  )
  const picture = { x: COLUMNS.picture, y: 0, ...PICTURE }
  const content = [
    box({ x: COLUMNS.tick, y: 1, width: 6, height: 6 }),
    ...pieces.layers,
    ...(item.preview === undefined ? [] : [pictureOf(item.preview, picture)]),
    ...description.layers,
  ]
  const height = Math.max(item.preview === undefined ? 0 : PICTURE.height, pieces.height, description.height) + 3
  return { layers: [...content, rule(height - 1)], height: height + 2 }
}

function pictureOf(assetId: string, place: { x: number; y: number; width: number; height: number }): SheetLayer {
  return { id: 'picture', type: 'image', ...place, assetId, fit: 'contain' }
}

function continuedHead({ number }: Order): Block {
  const { layers, height } = tableHead()
  const title = text(`${number}, continued`, { x: PAGE.left, y: 0, width: 120 }, { sizePt: 11, weight: 700 })
  return { layers: [title, ...layers.map((layer) => moveDown(layer, 7))], height: height + 7 }
}

function footOf(
  { number }: Pick<Order, 'number'>,
  { page, pages, printedAt }: { page: number; pages: number; printedAt: Date },
): SheetLayer[] {
  const at = { x: PAGE.left, y: PAGE.bottom + 4, width: PAGE.right - PAGE.left }
  const time = `${printedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return [
    text(`${number} · printed ${time}`, at, small),
    text(`Page ${page} of ${pages}`, at, { ...small, align: 'right' }),
  ]
}

function clip(value: string, length: number): string {
  const line = value.replace(/\s+/g, ' ').trim()
  const characters = Array.from(line)
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
