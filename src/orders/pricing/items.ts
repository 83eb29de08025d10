import { isBlank, type OrderableDesign, requireOrderables } from '../../designs/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { escapePointer } from '../../platform/http/input/strict-json.ts'
import type { ProblemDetail } from '../../platform/problem.ts'
import { unitAmountFor } from '../../products/index.ts'
import type { AgreedPriceInput } from '../order/bodies/agreed-price.ts'
import type { ActingUser, AgreedPrice, OrderItem, RecordedActor } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { type CheckedTexts, type ItemTexts, requirePrintable } from './checked-texts.ts'

export interface ItemRequest extends ItemTexts {
  quantity: number
  agreedPrice?: AgreedPriceInput
}

export interface PricedItem extends Omit<OrderItem, 'id' | 'snapshot' | 'personalization'> {
  /** The price that an operator agreed on instead of the locked one, and who that was. */
  agreedPrice?: AgreedPrice & RecordedActor
}

export interface PricedItems {
  items: PricedItem[]
  /** The designs of the items, by id. */
  designs: ReadonlyMap<string, OrderableDesign>
  currency: string
  weightGrams: number
  validUntil: Date
}

export interface PurchaseContext {
  ownerId: string
  now: Date
  texts: CheckedTexts
  /** Who makes the request, and with it agrees on prices. */
  actor: ActingUser
}

type ItemFault = ProblemDetail & { code: keyof typeof orderProblems }

/**
 * Prices items by their price locks or agreed prices, and locks the designs until the transaction ends.
 *
 * @throws the problem of the first item at fault, with all faults in `errors`; `preflight_failed`, `items_too_long`
 */
export async function priceItems(
  trx: Trx,
  requests: readonly ItemRequest[],
  context: PurchaseContext,
): Promise<PricedItems> {
  const designs = await requireDesigns(trx, requests, context)
  refuse(requests.flatMap((request, index) => faultsOfData(request, index, designs.get(request.designId))))
  requirePrintable(requests, designs, context.texts)
  const priced = requests.map((request) => priceItem(request, designs.get(request.designId), context.actor))
  const [currency = ''] = priced.map(({ design }) => design.currency)
  refuse(priced.flatMap(({ design }, index) => faultsOfCurrency(design, index, currency)))
  refuse(requests.flatMap((request, index) => faultsOfAgreedPrice(request, index, currency)))
  const ends = priced.map(({ design }) => design.validUntil.getTime())
  const weightGrams = priced.reduce((sum, { item, design }) => sum + item.quantity * design.weightGrams, 0)
  const items = priced.map(({ item }) => item)
  return { items, designs, currency, weightGrams, validUntil: new Date(Math.min(...ends)) }
}

/**
 * Locks the designs of items, and requires that this customer can order each of them now.
 *
 * @returns the designs by id
 * @throws the problems of `priceItems` that concern designs
 */
export async function requireDesigns(
  trx: Trx,
  requests: readonly Pick<ItemRequest, 'designId'>[],
  { ownerId, now }: Pick<PurchaseContext, 'ownerId' | 'now'>,
): Promise<Map<string, OrderableDesign>> {
  const designs = new Map<string, OrderableDesign>()
  const faults = new Map<string, keyof typeof orderProblems>()
  const designIds = [...new Set(requests.map((request) => request.designId))]
  for (const [designId, result] of await requireOrderables(trx, { designIds, ownerId, now })) {
    if (result.ok) designs.set(designId, result.design)
    else faults.set(designId, result.reason)
  }
  refuse(
    requests.flatMap(({ designId }, index) => {
      const code = faults.get(designId)
      return code === undefined ? [] : [{ code, pointer: `/items/${index}/designId`, detail: REFUSALS[code] ?? code }]
    }),
  )
  return designs
}

const REFUSALS: Partial<Record<keyof typeof orderProblems, string>> = {
  design_not_found: 'The caller has no design with this id.',
  design_not_finalized: 'The design is not finalized.',
  design_archived: 'The design is archived.',
  price_expired: 'The locked price has expired. Finalize the design again to renew it.',
}

function faultsOfData({ data = {} }: ItemRequest, index: number, design: OrderableDesign | undefined): ItemFault[] {
  const names = design?.placeholders ?? []
  const pointer = (name: string) => `/items/${index}/data/${escapePointer(name)}`
  const missing = names.filter((name) => !Object.hasOwn(data, name) || isBlank(data[name] ?? ''))
  const unknown = Object.keys(data).filter((name) => !names.includes(name))
  return [
    ...missing.map((name) => ({
      code: 'placeholder_missing' as const,
      pointer: pointer(name),
      detail: `The design needs a text for "${name}".`,
    })),
    ...unknown.map((name) => ({
      code: 'placeholder_unknown' as const,
      pointer: pointer(name),
      detail: 'The design has no placeholder of this name.',
    })),
  ]
}

function faultsOfCurrency(design: OrderableDesign, index: number, currency: string): ItemFault[] {
  if (design.currency === currency) return []
  const detail = `This item is priced in ${design.currency}, but the first item is priced in ${currency}.`
  return [{ code: 'currencies_mixed', pointer: `/items/${index}/designId`, detail }]
}

function faultsOfAgreedPrice({ agreedPrice }: ItemRequest, index: number, currency: string): ItemFault[] {
  if (agreedPrice === undefined || agreedPrice.unitPrice.currency === currency) return []
  const detail = `The agreed price must be in ${currency}, as the design is.`
  return [{ code: 'currencies_mixed', pointer: `/items/${index}/agreedPrice/unitPrice/currency`, detail }]
}

function priceItem(
  { designId, quantity, data, agreedPrice }: ItemRequest,
  design: OrderableDesign | undefined,
  actor: ActingUser,
): { item: PricedItem; design: OrderableDesign } {
  if (design === undefined) throw new Error(`design ${designId} was not read`)
  const listUnitAmount = unitAmountFor(design.priceTiers, quantity)
  const unitAmount = agreedPrice?.unitPrice.amount ?? listUnitAmount
  const { finalizationId, priceLock, variantId } = design
  const item = {
    designId,
    finalizationId,
    priceLock,
    variantId,
    quantity,
    data: data ?? null,
    unitAmount,
    totalAmount: unitAmount * quantity,
    ...(agreedPrice === undefined
      ? {}
      : {
          agreedPrice: {
            ...{ listUnitAmount, reason: agreedPrice.reason },
            ...{ actorId: actor.userId, actorKeyId: actor.keyId ?? null },
          },
        }),
  }
  return { item, design }
}

/** Throws the problem of the first fault, with all faults in `errors`. */
function refuse(faults: readonly ItemFault[]): void {
  const [first] = faults
  if (first !== undefined) throw orderProblems[first.code]({ detail: first.detail, errors: [...faults] })
}
