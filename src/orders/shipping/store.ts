import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { DB } from '../../platform/db/schema.generated.ts'
import type { ShippingMethod, ShippingZone } from './offers.ts'

export interface StoredShippingMethod extends ShippingMethod {
  position: number
  active: boolean
  createdAt: Date
  updatedAt: Date
  /** Deleted methods are retained, because orders name them. */
  deletedAt: Date | null
}

const COLUMNS = [
  'id',
  'name',
  'min_days',
  'max_days',
  'zones',
  'active',
  'position',
  'created_at',
  'updated_at',
  'deleted_at',
] as const

/** Lists the methods that are not deleted, in the order in which customers see them. */
export async function listMethods(db: Db | Trx): Promise<StoredShippingMethod[]> {
  const rows = await db
    .selectFrom('shipping_methods')
    .select(COLUMNS)
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toMethod)
}

export async function listOfferedMethods(db: Db): Promise<ShippingMethod[]> {
  return (await listMethods(db)).filter(({ active }) => active)
}

const FORM_OF_ID = /^[\w-]+$/

/** Finds a shipping method by its id, even if it was deleted. */
export async function findMethod(db: Db | Trx, id: string): Promise<StoredShippingMethod | undefined> {
  if (!FORM_OF_ID.test(id)) return undefined
  const row = await db.selectFrom('shipping_methods').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row && toMethod(row)
}

export async function lockMethods(trx: Trx): Promise<void> {
  await sql`lock table shipping_methods in share row exclusive mode`.execute(trx)
}

export async function saveMethod(trx: Trx, method: StoredShippingMethod): Promise<void> {
  const row = {
    position: method.position,
    name: method.name,
    min_days: method.estimatedDays.min,
    max_days: method.estimatedDays.max,
    zones: JSON.stringify(method.zones),
    active: method.active,
    created_at: method.createdAt,
    updated_at: method.updatedAt,
    deleted_at: method.deletedAt,
  }
  await trx
    .insertInto('shipping_methods')
    .values({ id: method.id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

function toMethod(row: Pick<Selectable<DB['shipping_methods']>, (typeof COLUMNS)[number]>): StoredShippingMethod {
  return {
    id: row.id,
    name: row.name,
    estimatedDays: { min: row.min_days, max: row.max_days },
    zones: row.zones as unknown as ShippingZone[],
    active: row.active,
    position: row.position,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  }
}
