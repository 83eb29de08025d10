import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import type { App } from '../../../platform/http/server.ts'
import type { ProcessGroup } from '../../../platform/processes/process-group.ts'
import { ALONE } from '../../../platform/processes/shared-counts.ts'
import { callerOf } from '../../http/caller-of.ts'
import { requireStepUp } from '../../http/guards.ts'
import { authProblems } from '../../problems.ts'
import { NoContent, Timestamp } from '../../schemas.ts'
import { UserBody } from '../schemas.ts'
import { type DeleteAccountDeps, deleteAccount } from './delete-account.ts'
import { type ExportDeps, exportAccount } from './export-account.ts'

const records = (description: string) => Type.Array(Type.Unsafe<object>({ type: 'object' }), { description })

const AccountExport = Type.Object(
  {
    exportedAt: Timestamp,
    user: UserBody,
    sessions: records('Sessions, including recently ended ones.'),
    apiKeys: records('API keys, without their secrets.'),
    factors: records('Second factors, without their secrets.'),
    passkeys: records('Passkeys with the data that the service stores.'),
    identities: records('Identities at providers that can sign in to this account.'),
    securityEvents: records('As in `GET /me/security-events`.'),
    orders: records('As in `GET /orders/{orderId}`.'),
    orderMails: records('As in `GET /orders/{orderId}/mails`, with `orderId`.'),
    quotes: records('As in `POST /quotes`, with the postal address.'),
    designs: records('As in `GET /designs/{designId}`.'),
    designRevisions: records('As in `GET /designs/{designId}/revisions/{revision}`, with `designId`.'),
    assets: records('As in `GET /assets/{assetId}`, with `contentUrl`, the URL of the bytes.'),
    fonts: records('As in `GET /fonts/{fontId}`, with `contentUrl`, the URL of the bytes.'),
    webhookEndpoints: records('As in `GET /webhook-endpoints/{endpointId}`.'),
    events: records('As in `GET /events`.'),
    requests: records('Requests of the last days, as in `GET /system/requests`.'),
    storage: records('One record, as in `GET /me/storage`.'),
  },
  { title: 'AccountExport', description: 'Later versions may add members.' },
)

/** Low, so that the stream buffers little data. In object mode, the limit would count records instead of bytes. */
const EXPORT_BUFFER_BYTES = 64 * 1024

/** After this time, a client may try again whether the running export has ended. */
const RETRY_SECONDS = 30

interface InGroup {
  group?: Pick<ProcessGroup, 'shared'> | undefined
}

export function personalDataRoutes(app: App, auth: DeleteAccountDeps & ExportDeps & InGroup): void {
  const running = (auth.group?.shared ?? ALONE).counts('exports')

  app.get(
    '/me/export',
    {
      onRequest: requireStepUp(),
      // Every export adds a security event.
      config: { addsRecords: true },
      schema: {
        operationId: 'exportMe',
        tags: ['Account'],
        summary: 'Export the data of the account',
        description:
          'Streams one JSON file with all data of the account except secrets and the bytes of files. An account can export ten times an hour, one export at a time. Each export is a security event.',
        response: { 200: { description: 'A JSON file.', content: { 'application/json': { schema: AccountExport } } } },
      },
    },
    async (request, reply) => {
      const caller = callerOf(auth, request)
      const { userId } = caller
      if (running.of(userId) > 0) throw exportRunning()
      running.add(userId, 1)
      let isRunning = true
      const release = () => {
        if (isRunning) running.add(userId, -1)
        isRunning = false
      }
      // Before the first await: a client that disconnects meanwhile must not block later exports. It also applies to a
      // HEAD request, whose response reads nothing from the stream.
      reply.raw.once('close', release)
      if (reply.raw.destroyed) release()
      const share = () => 1 / Math.max(1, running.size())
      const text = await exportAccount(auth, caller, share).catch((error: unknown) => {
        release()
        throw error
      })
      const stream = Readable.from(text, { objectMode: false, highWaterMark: EXPORT_BUFFER_BYTES })
      return reply
        .type('application/json; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="platen-${userId}.json"`)
        .send(stream as never)
    },
  )

  app.delete(
    '/me',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'deleteMe',
        problems: [authProblems.last_administrator],
        tags: ['Account'],
        summary: 'Delete the account',
        description:
          'Ends all sessions at once. Removes designs and images from the account; their files may stay in the storage for about a day. Cancels orders that await payment. Other orders stay, without the postal address once they have ended. The response waits for the erasure for 5 seconds at most. If there is more to erase, a job does so within minutes.',
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await deleteAccount(auth, callerOf(auth, request))
      return reply.code(204).send(null)
    },
  )
}

/** An export reads everything that an account stores, so several at once would slow down other requests. */
function exportRunning() {
  return httpProblems.rate_limited({
    detail: 'An export of this account is in progress. Wait until it has ended.',
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  })
}
