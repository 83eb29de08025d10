import { Type } from 'typebox'
import { requireRole } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { presentOrder } from '../order/bodies/present-orders.ts'
import { OrderParams } from '../order/bodies/requests.ts'
import { OrderBody, ShipmentBody, toShipmentBody } from '../order/bodies/schemas.ts'
import { type ActionDeps, actingUser, contextFor, viewFor } from '../order/change/action-context.ts'
import { keyToChange, withETag } from '../order/change/if-match.ts'
import { PostalAddressInput } from '../order/postal-address.ts'
import { orderProblems } from '../problems.ts'
import { parcelMembers, ShipmentParams } from '../production/schemas.ts'
import { correctShippingAddress } from './correct-shipping-address.ts'
import { correctTracking } from './correct-tracking.ts'

const closed = { additionalProperties: false } as const
const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])

const OrderChangesBody = Type.Object({ shippingAddress: PostalAddressInput }, closed)

const ShipmentChangesBody = Type.Object(
  {
    carrier: Type.Optional(parcelMembers.carrier),
    trackingNumber: Type.Optional(nullable(parcelMembers.trackingNumber)),
    trackingUrl: Type.Optional(nullable(parcelMembers.trackingUrl)),
  },
  { ...closed, minProperties: 1 },
)

/** Routes with which operators correct what an order states. */
export function correctionRoutes(app: App, deps: ActionDeps): void {
  addressRoute(app, deps)
  trackingRoute(app, deps)
}

function addressRoute(app: App, deps: ActionDeps): void {
  app.patch(
    '/orders/:orderId',
    {
      onRequest: requireRole('operator', 'orders:write'),
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'changeOrder',
        problems: [
          orderProblems.order_action_refused,
          orderProblems.address_invalid,
          orderProblems.address_destination_changed,
        ],
        tags: ['Production'],
        summary: 'Correct the postal address of an order',
        description:
          'Possible until the first parcel leaves (409 `order_action_refused`). Replaces the whole `shippingAddress`. The new postal address must be in the country and region of the old one, because shipping and tax stay unchanged; otherwise the response is 422 `address_destination_changed`. Emits `order.address_changed`, which the timeline records. An order on hold stays on hold. Later mails about the order go to the `email` of the new postal address.',
        params: OrderParams,
        body: OrderChangesBody,
        response: { 200: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const key = keyToChange(request, deps, { id: request.params.orderId })
      const body = await deps.db.transaction().execute(async (trx) => {
        const context = contextFor(deps, actingUser(principal, 'operator'))
        const order = await correctShippingAddress(trx, context, key, request.body.shippingAddress)
        return presentOrder(trx, order, viewFor(deps, principal))
      })
      return withETag(reply, body)
    },
  )
}

function trackingRoute(app: App, deps: ActionDeps): void {
  app.patch(
    '/orders/:orderId/shipments/:shipmentId',
    {
      onRequest: requireRole('operator', 'shipping:write'),
      config: { honours: ['If-Match'] },
      schema: {
        operationId: 'changeShipment',
        problems: [orderProblems.shipment_not_found],
        tags: ['Production'],
        summary: 'Add or correct the tracking of a shipment',
        description:
          'Replaces the members that it names, in any status of the shipment; `null` removes one. `If-Match` is the version of the order. Emits `shipment.updated`, which the timeline records, if something changes. The service sends no further mail.',
        params: ShipmentParams,
        body: ShipmentChangesBody,
        response: { 200: ShipmentBody },
      },
    },
    async (request) => {
      const { orderId, shipmentId } = request.params
      const key = { ...keyToChange(request, deps, { id: orderId }), shipmentId }
      const shipment = await deps.db.transaction().execute((trx) => {
        const context = contextFor(deps, actingUser(principalOf(request), 'operator'))
        return correctTracking(trx, context, key, request.body)
      })
      return toShipmentBody(shipment)
    },
  )
}
