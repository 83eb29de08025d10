import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../../platform/http/server.ts'
import { callerOf } from '../../http/caller-of.ts'
import { requireStepUp } from '../../http/guards.ts'
import { NoContent, Timestamp } from '../../schemas.ts'
import { UserBody } from '../schemas.ts'
import { type DeleteAccountDeps, deleteAccount } from './delete-account.ts'
import { type ExportDeps, exportAccount } from './export-account.ts'

const records = (description: string) => Type.Array(Type.Unsafe<object>({ type: 'object' }), { description })

const AccountExport = Type.Object(
  {
    exportedAt: Timestamp,
    user: UserBody,
    sessions: records('Also those that ended lately.'),
    apiKeys: records('Without the keys themselves.'),
    factors: records('Second factors, without their secrets.'),
    passkeys: records('Passkeys, as far as they are known here.'),
    identities: records('Accounts at other providers that open this one.'),
    securityEvents: records('As `GET /me/security-events` answers.'),
    orders: records('As `GET /orders/{orderId}` answers.'),
    quotes: records('As `POST /quotes` answers, with the address.'),
    designs: records('As `GET /designs/{designId}` answers.'),
    assets: records('As `GET /assets/{assetId}` answers, with `contentUrl`, the address of the bytes.'),
    webhookEndpoints: records('As `GET /webhook-endpoints/{endpointId}` answers.'),
    events: records('As `GET /events` answers.'),
    storage: records('One record, as `GET /me/storage` answers.'),
  },
  { title: 'AccountExport', description: 'Further members may come.' },
)

/** The next record is read when so little is left: not many records ahead, as a stream of objects would. */
const EXPORT_BUFFER_BYTES = 64 * 1024

/** Taking one's data along, and leaving. */
export function leavingRoutes(app: App, auth: DeleteAccountDeps & ExportDeps): void {
  app.get(
    '/me/export',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'exportMe',
        tags: ['Account'],
        summary: 'Download everything that is kept of you',
        response: { 200: { description: 'A JSON file.', content: { 'application/json': { schema: AccountExport } } } },
      },
    },
    async (request, reply) => {
      const { userId, text } = await exportAccount(auth, callerOf(auth, request))
      return reply
        .type('application/json; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="platen-${userId}.json"`)
        .send(Readable.from(text, { objectMode: false, highWaterMark: EXPORT_BUFFER_BYTES }) as never)
    },
  )

  app.delete(
    '/me',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'deleteMe',
        tags: ['Account'],
        summary: 'Delete your account',
        description:
          'Signs you out everywhere at once. Designs and images are removed from the account, their files may stay in ' +
          'the storage for longer; orders stay, without your address once they have ended. Those that wait for payment are cancelled.',
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await deleteAccount(auth, callerOf(auth, request))
      return reply.code(204).send(null)
    },
  )
}
