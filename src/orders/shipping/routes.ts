import { Type } from 'typebox'
import { type Auth, anyone, requireRole } from '../../auth/index.ts'
import { editorOf } from '../../change-records/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../../platform/http/responses/location.ts'
import { cutPage, PageQuery, pageOf } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { orderProblems } from '../problems.ts'
import { changeMethod, createMethod, deleteMethod, requireMethod } from './change-methods.ts'
import { lowestOffers, type ShippingMethod } from './offers.ts'
import {
  NewShippingMethodBody,
  ShippingMethodBody,
  ShippingMethodChangesBody,
  ShippingMethodParams,
  ShippingMethodQuery,
  ShippingMethodSettingsBody,
  toShippingMethodBodies,
  toShippingMethodSettingsBody,
} from './schemas.ts'
import { listMethods } from './store.ts'

const tags = ['Settings']
const requireShippingAdmin = requireRole('admin', 'products:write')
const setting = 'shipping_method'

export interface ShippingDeps {
  db: Db
  clock: Clock
  charges: { shippingMethods(): Promise<readonly ShippingMethod[]>; invalidate(): void }
  recordAdminAct: Auth['recordAdminAct']
}

export function shippingRoutes(app: App, deps: ShippingDeps): void {
  const { db, clock, charges, recordAdminAct } = deps
  const actOf = (request: HttpRequest) => ({ editor: editorOf(request), now: clock.now() })

  app.get(
    '/shipping-methods',
    {
      onRequest: anyone,
      schema: {
        operationId: 'listShippingMethods',
        tags: ['Orders'],
        summary: 'List shipping methods with prices',
        description: 'Without `country`, the price of a method is its lowest price for any destination.',
        querystring: ShippingMethodQuery,
        response: { 200: pageOf(ShippingMethodBody) },
      },
    },
    async ({ query }) => {
      const { currency, country, weightGrams = 0 } = query
      const offers = lowestOffers(await charges.shippingMethods(), { currency, country, weightGrams })
      return cutPage(toShippingMethodBodies(offers, currency), query, (body) => body)
    },
  )

  app.get(
    '/shipping-methods/:methodId',
    {
      onRequest: anyone,
      schema: {
        operationId: 'getShippingMethod',
        tags: ['Orders'],
        summary: 'Read a shipping method',
        description: 'Returns all prices. Deleted methods can be read too, because orders name them.',
        params: ShippingMethodParams,
        response: { 200: ShippingMethodSettingsBody },
      },
    },
    async ({ params }) => toShippingMethodSettingsBody(await requireMethod(db, params.methodId)),
  )

  app.get(
    '/shipping-settings',
    {
      onRequest: requireRole('admin', 'products:read'),
      schema: {
        operationId: 'listShippingSettings',
        tags,
        summary: 'List shipping methods with all their prices',
        description: 'Ordered by `position`, as customers see them.',
        querystring: PageQuery,
        response: { 200: pageOf(ShippingMethodSettingsBody) },
      },
    },
    async ({ query }) => cutPage(await listMethods(db), query, toShippingMethodSettingsBody),
  )

  app.post(
    '/shipping-methods',
    {
      onRequest: requireShippingAdmin,
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createShippingMethod',
        problems: [
          orderProblems.shipping_method_exists,
          orderProblems.shipping_method_deleted,
          orderProblems.shipping_method_invalid,
        ],
        tags,
        summary: 'Create a shipping method',
        description:
          'Takes effect at once in this process and within two seconds in the others. The security events record it as `shop_settings_changed`. At most 100 methods can exist (409 `too_many_shipping_methods`). The id of a deleted method cannot be used again.',
        body: NewShippingMethodBody,
        response: { 201: ShippingMethodSettingsBody },
      },
    },
    async (request, reply) => {
      const body = await idempotently(deps, request, reply, async (trx) => {
        const method = await createMethod(trx, request.body, actOf(request))
        await recordAdminAct(trx, request, { setting, id: method.id, change: 'created' })
        return { status: 201, body: toShippingMethodSettingsBody(method), headers: locationOfNew(request, method) }
      })
      charges.invalidate()
      return body
    },
  )

  app.patch(
    '/shipping-methods/:methodId',
    {
      onRequest: requireShippingAdmin,
      schema: {
        operationId: 'changeShippingMethod',
        problems: [orderProblems.shipping_method_deleted, orderProblems.shipping_method_invalid],
        tags,
        summary: 'Change a shipping method',
        description:
          'Replaces the members that the body names. Existing quotes and orders do not change. Takes effect at once in this process and within two seconds in the others.',
        params: ShippingMethodParams,
        body: ShippingMethodChangesBody,
        response: { 200: ShippingMethodSettingsBody },
      },
    },
    async (request) => {
      const method = await db.transaction().execute(async (trx) => {
        const changed = await changeMethod(trx, request.params.methodId, request.body, actOf(request))
        await recordAdminAct(trx, request, { setting, id: changed.id, change: 'changed' })
        return changed
      })
      charges.invalidate()
      return toShippingMethodSettingsBody(method)
    },
  )

  app.delete(
    '/shipping-methods/:methodId',
    {
      onRequest: requireShippingAdmin,
      schema: {
        operationId: 'deleteShippingMethod',
        tags,
        summary: 'Delete a shipping method',
        description: 'The method is no longer offered. It can still be read, with `deletedAt`, because orders name it.',
        params: ShippingMethodParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { methodId: id } = request.params
      await db.transaction().execute(async (trx) => {
        if (!(await deleteMethod(trx, id, actOf(request)))) return
        await recordAdminAct(trx, request, { setting, id, change: 'deleted' })
      })
      charges.invalidate()
      return reply.code(204).send(null)
    },
  )
}
