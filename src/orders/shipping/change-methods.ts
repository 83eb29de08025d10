import type { Editor } from '../../change-records/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { orderProblems } from '../problems.ts'
import { recordMethod } from './record-method.ts'
import { checkMethod } from './rules.ts'
import type { NewShippingMethodBody, ShippingMethodChangesBody } from './schemas.ts'
import { findMethod, listMethods, lockMethods, type StoredShippingMethod, saveMethod } from './store.ts'

/** Limits the number of methods, because each checkout reads all of them. */
const MAX_METHODS = 100

/** Who changes a shipping method, and when. */
interface Act {
  editor: Editor
  now: Date
}

/**
 * Adds a shipping method. The default position is the last one.
 *
 * @throws `shipping_method_invalid`, `shipping_method_exists`, `too_many_shipping_methods`
 */
export async function createMethod(
  trx: Trx,
  input: NewShippingMethodBody,
  { editor, now }: Act,
): Promise<StoredShippingMethod> {
  await lockMethods(trx)
  const others = await listMethods(trx)
  if (others.length >= MAX_METHODS) throw orderProblems.too_many_shipping_methods()
  const { name, estimatedDays, zones, active = true } = input
  const method: StoredShippingMethod = {
    id: input.id ?? (await freeId(trx, name)),
    name,
    estimatedDays,
    zones,
    active,
    position: input.position ?? Math.max(0, ...others.map(({ position }) => position)) + 1,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
  refuseInvalid(method)
  // Ids of deleted methods stay reserved, because existing orders name them.
  if ((await findMethod(trx, method.id)) !== undefined) {
    const detail = 'A shipping method has this id, or a deleted method had it.'
    throw orderProblems.shipping_method_exists({ errors: [{ code: 'shipping_method_exists', pointer: '/id', detail }] })
  }
  await saveMethod(trx, method)
  await recordMethod(trx, { before: undefined, after: method, type: 'created', editor, now })
  return method
}

/**
 * Replaces the given members of a shipping method. Existing quotes and orders do not change.
 *
 * @throws `shipping_method_not_found`, `shipping_method_deleted`, `shipping_method_invalid`
 */
export async function changeMethod(
  trx: Trx,
  id: string,
  changes: ShippingMethodChangesBody,
  { editor, now }: Act,
): Promise<StoredShippingMethod> {
  await lockMethods(trx)
  const before = await requireMethod(trx, id)
  if (before.deletedAt !== null) throw orderProblems.shipping_method_deleted()
  const method = { ...before, ...changes, updatedAt: now }
  refuseInvalid(method)
  await saveMethod(trx, method)
  await recordMethod(trx, { before, after: method, type: 'changed', editor, now })
  return method
}

/**
 * Marks a shipping method as deleted. It can still be read, because orders name it.
 *
 * @returns false if it was deleted before
 * @throws `shipping_method_not_found`
 */
export async function deleteMethod(trx: Trx, id: string, { editor, now }: Act): Promise<boolean> {
  await lockMethods(trx)
  const method = await requireMethod(trx, id)
  if (method.deletedAt !== null) return false
  await saveMethod(trx, { ...method, active: false, updatedAt: now, deletedAt: now })
  await recordMethod(trx, { before: method, after: undefined, type: 'deleted', editor, now })
  return true
}

/** @throws `shipping_method_not_found` */
export async function requireMethod(db: Parameters<typeof findMethod>[0], id: string): Promise<StoredShippingMethod> {
  const method = await findMethod(db, id)
  if (method === undefined) throw orderProblems.shipping_method_not_found()
  return method
}

function refuseInvalid(method: StoredShippingMethod): void {
  const errors = checkMethod(method)
  if (errors.length > 0) throw orderProblems.shipping_method_invalid({ errors })
}

/** Derives an id from the name of a method, with a number appended if another method has that id. */
async function freeId(trx: Trx, name: string): Promise<string> {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug =
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 50) || 'method'
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? slug : `${slug}-${number}`
    if ((await findMethod(trx, id)) === undefined) return id
  }
}
