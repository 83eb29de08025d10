import { hasPermission, requireRole } from '../../auth/index.ts'
import type { Config } from '../../config/index.ts'
import { OrderParams, requireOrder } from '../../orders/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { App } from '../../platform/http/server.ts'
import { MailsOfOrderBody, sendingOf, toMailBody } from './schemas.ts'
import { listMails } from './store.ts'

export interface MailHistoryDeps {
  db: Db
  config: Pick<Config, 'orderMails' | 'send' | 'smtpUrl'>
}

/** The route with which operators see whether a customer was told. */
export function mailHistoryRoutes(app: App, { db, config }: MailHistoryDeps): void {
  app.get(
    '/orders/:orderId/mails',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'listOrderMails',
        tags: ['Production'],
        summary: 'List the mails about an order',
        description:
          'For operators: the mails that the customer got or will get, with their outcome. A mail appears about a second after its cause.',
        params: OrderParams,
        response: { 200: MailsOfOrderBody },
      },
    },
    async (request) => {
      const { id } = await requireOrder(db, { id: request.params.orderId })
      const mails = (await listMails(db, id)).map(toMailBody)
      const data = hasPermission(request, 'customers:read') ? mails : mails.map((mail) => ({ ...mail, to: null }))
      return { sending: sendingOf(config), data }
    },
  )
}
