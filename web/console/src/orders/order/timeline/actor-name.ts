import type { OrderActor } from '@platen/client'

/**
 * Names the member of staff who acted, with the API key if one was used. Undefined for a deleted account, for a customer
 * without a name, and without an actor.
 */
export function actorName(actor: OrderActor | undefined): string | undefined {
  const names = [actor?.name ?? actor?.email, actor?.apiKey?.name].filter((name) => typeof name === 'string')
  return names.length === 0 ? undefined : names.join(' · ')
}
