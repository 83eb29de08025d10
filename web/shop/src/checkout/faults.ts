import type { CartItem } from '@platen/app/session'
import { PlatenError } from '@platen/client'
import type { Refusal } from '../cart/refusals.ts'
import type { AddressFaults } from './address/address-form.tsx'
import { isAddressField } from './address/address-values.ts'

const faultsIn = (error: unknown) => (error instanceof PlatenError ? error.errors : [])

/** Returns what the service says about the fields of the postal address. */
export function addressFaultsOf(error: unknown): AddressFaults {
  const faults = faultsIn(error).flatMap(({ code, pointer = '' }) => {
    const [, name = ''] = /^\/shippingAddress\/(\w+)$/.exec(pointer) ?? []
    return isAddressField(name) ? [[name, code] as const] : []
  })
  return Object.fromEntries(faults)
}

/** Returns what the service says about items of the cart, by their ids. Undefined if it is about something else. */
export function refusalsOf(error: unknown, items: readonly CartItem[]): ReadonlyMap<string, Refusal> | undefined {
  const refusals = new Map<string, Refusal>()
  for (const { code, pointer = '' } of faultsIn(error)) {
    const [, index, place, name] = /^\/items\/(\d+)(?:\/(\w+)(?:\/([^/]+))?)?/.exec(pointer) ?? []
    const item = index === undefined ? undefined : items[Number(index)]
    if (item === undefined || refusals.has(item.id)) continue
    const placeholder = place === 'data' && name !== undefined ? { placeholder: unescapePointer(name) } : {}
    refusals.set(item.id, { code, ...placeholder })
  }
  return refusals.size === 0 ? undefined : refusals
}

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
