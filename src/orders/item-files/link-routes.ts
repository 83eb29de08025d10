import { Type } from 'typebox'
import { requireScope } from '../../auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import {
  LINK_ROUTE_DESCRIPTION,
  LinkBody,
  linkLifeMember,
  linkQueryMembers,
  toLinkBody,
} from '../../platform/http/links/link-schemas.ts'
import { allowEmbedding, requireLinked, type SignedLinks } from '../../platform/http/links/signed-links.ts'
import { STORED_FILE_RESPONSES, sendStored } from '../../platform/http/responses/send-stored.ts'
import type { App } from '../../platform/http/server.ts'
import { type Storage, storageProblems } from '../../platform/storage/index.ts'
import { OrderParams } from '../order/bodies/requests.ts'
import { actorFor, orderKey } from '../order/change/action-context.ts'
import { orderProblems } from '../problems.ts'
import { findItemFile } from './find-item-file.ts'
import { ItemFileBytes, ItemFileParams } from './schemas.ts'

const closed = { additionalProperties: false } as const

const Maker = Type.Unsafe<'customer' | 'operator'>({ type: 'string', enum: ['customer', 'operator'] })

export interface LinkDeps {
  db: Db
  storage: Storage
  links: SignedLinks
}

export function itemFileLinkRoutes(app: App, { db, storage, links }: LinkDeps): void {
  app.post(
    '/orders/:orderId/links',
    {
      onRequest: requireScope('orders:read'),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'createOrderLink',
        problems: [
          orderProblems.order_item_not_found,
          orderProblems.file_not_found,
          orderProblems.item_files_not_ready,
        ],
        tags: ['Orders'],
        summary: 'Create a signed link to a file of an order item',
        description:
          'For the owner of the order, and for operators. The link needs no credential. It ends at `expiresAt`, and when the order is erased; a link that the owner made also ends when the account is deleted. Until the files of an item with texts of its own are ready, the result is 409 `item_files_not_ready`. The service stores no links, so `Idempotency-Key` has no effect: every request makes a new link.',
        params: OrderParams,
        body: Type.Object(
          {
            itemId: Type.String({ maxLength: 64 }),
            file: Type.String({ maxLength: 100, description: 'Id of a file of the item, such as `print`.' }),
            ...linkLifeMember,
          },
          closed,
        ),
        response: { 201: LinkBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const key = orderKey(principal, request.params.orderId)
      const { itemId, file: fileId, expiresInSeconds: lifeSeconds } = request.body
      await findItemFile(db, key, { itemId, fileId })
      const path = `/links/orders/${key.id}/items/${itemId}/files/${fileId}`
      const link = links.make(path, { query: { by: actorFor(principal) }, lifeSeconds })
      return reply.code(201).send(toLinkBody(link))
    },
  )

  app.get(
    '/links/orders/:orderId/items/:itemId/files/:fileId',
    {
      onRequest: links.guard,
      config: { countedAs: 'links', limitsNetwork: true },
      schema: {
        operationId: 'getLinkedOrderItemFile',
        problems: [orderProblems.item_files_not_ready, storageProblems.storage_unavailable],
        tags: ['Orders'],
        summary: 'Download a file of an order item by its link',
        description: LINK_ROUTE_DESCRIPTION,
        params: ItemFileParams,
        querystring: Type.Object({ by: Maker, ...linkQueryMembers }, closed),
        response: { 200: ItemFileBytes, ...STORED_FILE_RESPONSES },
      },
    },
    async (request, reply) => {
      const { params, query } = request
      const file = await requireLinked(findItemFile(db, { id: params.orderId, linkedBy: query.by }, params))
      allowEmbedding(reply)
      return sendStored(request, reply, { storage, file, lifeSeconds: links.remainingSeconds(request) })
    },
  )
}
