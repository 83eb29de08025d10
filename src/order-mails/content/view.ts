import { onColor } from '../../platform/colors.ts'
import type { Language } from '../../platform/languages.ts'
import type { MailCause } from '../causes.ts'
import { type EditedText, withEdited } from '../edited-texts/edited-text.ts'
import type { PlaceholderValues } from '../edited-texts/placeholders.ts'
import type { OrderMailKind } from '../kinds.ts'
import type { MailTexts, TextFacts, Texts } from '../texts/texts.ts'
import { textsOf } from '../texts/texts-of.ts'
import { type Formats, formatsFor } from './formats.ts'
import type { MailOrder } from './mail-order.ts'

/** How the shop appears in mails. */
export interface ShopView {
  name: string
  /** Without a trailing slash. */
  url: string
  color: string
}

interface Item {
  id: string
  name: string
  /** Options of the variant and the name of the design. */
  details: string[]
  quantity: string
  /** Null in a mail about one parcel, which may contain a part of the item. */
  total: string | null
  /** A `cid:` URL; null without a picture. */
  picture: string | null
}

/** The variables of templates. `docs/guides/mails.md` describes them. */
export interface MailView extends MailTexts {
  kind: OrderMailKind
  language: Language
  shop: ShopView & {
    /** Colour of text on `color`. */
    onColor: string
    /** A `cid:` URL; null without a logo. */
    logo: string | null
  }
  order: { id: string; number: string; url: string; date: string }
  message: { label: string; lines: string[] } | null
  /** What the mail reports, such as a tracking number. `url` is null without a link. */
  facts: { label: string; value: string; url: string | null }[]
  itemsLabel: string
  items: Item[]
  moreItems: string | null
  amounts: { label: string; value: string; isTotal: boolean }[]
  address: { label: string; lines: string[] } | null
  footer: string
}

/** The HTML of a mail must stay below 100 KB, after which some mail programs cut it off. */
const MAX_ITEMS = 10

const MAX_NAME_LENGTH = 120

export interface ViewOptions {
  shop: ShopView
  /** The language of the customer. */
  locale: string | null
  /** Languages of the shop. The first one is for customers with another language. */
  languages: readonly Language[]
  hasLogo: boolean
  /** What administrators wrote for the mail, by language. */
  edited: ReadonlyMap<string, EditedText>
}

/** Collects the variables of a mail about an order as it was when the cause happened. */
export function viewOf(
  order: MailOrder,
  { kind, cause }: MailCause,
  { shop, locale, languages, hasLogo, edited }: ViewOptions,
): MailView {
  const formats = formatsFor(locale, languages)
  const texts = textsOf(formats.language)
  const { labels } = texts
  const shipment = kind === 'order_shipped' ? order.shipments.find(({ id }) => id === cause) : undefined
  const facts = textFacts(order, cause, formats)
  const own = texts.mails[kind](facts)
  const items = itemsOf(order, shipment, formats, labels)
  const hasAmounts = kind === 'order_received' || kind === 'order_paid'
  return {
    kind,
    language: formats.language,
    shop: { ...shop, onColor: onColor(shop.color), logo: hasLogo ? 'cid:logo' : null },
    order: {
      id: order.id,
      number: order.number,
      url: `${shop.url}/orders/${order.id}`,
      date: formats.date(order.createdAt),
    },
    ...withEdited(own, edited.get(formats.language), valuesOf(order, { facts, own, shipment, shop })),
    message: messageOf(order, { kind, cause }, labels.message(shop.name)),
    facts: [...trackingOf(shipment, labels), ...refundFacts(order, { kind, cause }, formats, labels)],
    itemsLabel: shipment === undefined ? labels.items : labels.parcel,
    items: items.slice(0, MAX_ITEMS),
    moreItems: items.length > MAX_ITEMS ? labels.moreItems(items.length - MAX_ITEMS) : null,
    amounts: hasAmounts ? amountsOf(order, formats, labels) : [],
    address:
      hasAmounts || shipment !== undefined
        ? { label: labels.shippingAddress, lines: addressLines(order, formats) }
        : null,
    footer: labels.footer(shop.name, order.number),
  }
}

function textFacts(order: MailOrder, cause: string, formats: Formats): TextFacts {
  const { payment } = order
  const refund = payment.refunds.find(({ id }) => id === cause)
  return {
    number: order.number,
    date: formats.date(order.createdAt),
    total: formats.money(order.amounts.total),
    canPayOnline: order.availableActions.some(({ action, allowed }) => action === 'pay' && allowed),
    resolution: order.hold?.resolution ?? 'none',
    isPartial: order.status === 'partially_shipped',
    refunded: refund === undefined ? '' : formats.money(refund.amount),
    isRefundDue: payment.capturedAmount.amount > payment.refundedAmount.amount,
  }
}

interface ValueSources {
  facts: TextFacts
  own: MailTexts
  shipment: Shipment | undefined
  shop: ShopView
}

/** Returns what placeholders stand for. The second paragraph of the service is the sentence that not every mail has. */
function valuesOf(order: MailOrder, { facts, own, shipment, shop }: ValueSources): PlaceholderValues {
  const { number, date, total, refunded } = facts
  const sentence = own.paragraphs[1] ?? ''
  return {
    ...{ number, date, total, refunded, shop: shop.name },
    name: clip(order.shippingAddress.name),
    carrier: shipment?.carrier ?? '',
    tracking: shipment?.trackingNumber ?? '',
    ...{ payment: sentence, todo: sentence, rest: sentence, refund: sentence },
  }
}

/** What the shop wrote to the customer: why it holds, cancelled or refunded the order. */
function messageOf(order: MailOrder, { kind, cause }: MailCause, label: string): MailView['message'] {
  const cancelled = order.timeline.findLast(({ type }) => type === 'order.cancelled')
  const reasons: Partial<Record<OrderMailKind, string | null | undefined>> = {
    order_on_hold: order.hold?.reason,
    order_cancelled: cancelled?.by === 'operator' ? cancelled.reason : null,
    order_refunded: order.payment.refunds.find(({ id }) => id === cause)?.reason,
  }
  const lines = (reasons[kind] ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.length === 0 ? null : { label, lines }
}

type Shipment = MailOrder['shipments'][number]

function trackingOf(shipment: Shipment | undefined, labels: Texts['labels']): MailView['facts'] {
  if (shipment === undefined) return []
  const { carrier, trackingNumber, trackingUrl } = shipment
  const url = trackingUrl === null ? null : safeUrl(trackingUrl)
  const number = trackingNumber ?? (url === null ? null : labels.trackParcel)
  return [
    { label: labels.carrier, value: carrier, url: null },
    ...(number === null ? [] : [{ label: labels.trackingNumber, value: number, url }]),
  ]
}

/** Returns null for a URL that a link must not have, such as `javascript:`. */
function safeUrl(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

function refundFacts(
  order: MailOrder,
  { kind, cause }: MailCause,
  formats: Formats,
  labels: Texts['labels'],
): MailView['facts'] {
  const refund = kind === 'order_refunded' ? order.payment.refunds.find(({ id }) => id === cause) : undefined
  return refund === undefined ? [] : [{ label: labels.refundedAmount, value: formats.money(refund.amount), url: null }]
}

function itemsOf(order: MailOrder, shipment: Shipment | undefined, formats: Formats, labels: Texts['labels']): Item[] {
  const shipped = shipment && new Map(shipment.items.map(({ itemId, quantity }) => [itemId, quantity]))
  return order.items.flatMap((item): Item[] => {
    const quantity = shipped === undefined ? item.quantity : shipped.get(item.id)
    if (quantity === undefined) return []
    const details = [...Object.values(item.variant.options ?? {}), item.design.name]
    const [name = labels.item, ...others] = [item.product.name, ...details].filter(
      (text) => text != null && text !== '',
    )
    return [
      {
        id: item.id,
        name: clip(name ?? labels.item),
        details: others.map((text) => clip(text ?? '')),
        quantity: labels.quantity(formats.number(quantity)),
        total: shipment === undefined ? formats.money(item.total) : null,
        picture: null,
      },
    ]
  })
}

function amountsOf(
  { amounts, taxIncluded }: MailOrder,
  formats: Formats,
  labels: Texts['labels'],
): MailView['amounts'] {
  const row = (label: string, money: { amount: number; currency: string }, isTotal = false) => ({
    label,
    value: formats.money(money),
    isTotal,
  })
  const tax = amounts.tax.amount === 0 ? [] : [row(taxIncluded ? labels.taxIncluded : labels.tax, amounts.tax)]
  const sums = [row(labels.subtotal, amounts.subtotal), row(labels.shipping, amounts.shipping)]
  const total = row(labels.total, amounts.total, true)
  return taxIncluded ? [...sums, total, ...tax] : [...sums, ...tax, total]
}

function addressLines({ shippingAddress: to }: MailOrder, { language }: Formats): string[] {
  const country = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' }).of(to.country)
  const city = [to.postalCode, to.city, to.region].filter((text) => text !== undefined).join(' ')
  return [to.name, to.company, to.line1, to.line2, city, country].flatMap((line) =>
    line === undefined ? [] : [clip(line)],
  )
}

function clip(text: string): string {
  const characters = [...text]
  return characters.length <= MAX_NAME_LENGTH ? text : `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…`
}
