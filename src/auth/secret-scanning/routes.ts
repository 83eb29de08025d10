import type { Config } from '../../config/index.ts'
import { publicRoute } from '../../platform/http/core/guard.ts'
import { parseStrictJson } from '../../platform/http/input/strict-json.ts'
import type { App } from '../../platform/http/server.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { authProblems } from '../problems.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { createPublicKeys } from './public-keys.ts'
import { revokeLeaked } from './revoke-leaked.ts'
import { AlertsBody, VerdictsBody } from './schemas.ts'
import { requireSignature } from './signature.ts'

/** GitHub reports many keys in one body. */
const BODY_BYTES = 1024 * 1024

/** Adds the route that receives reports of API keys that GitHub found in public (secret scanning partner programme). */
export function secretScanningRoutes(
  app: App,
  auth: AccountChangeDeps & { log: Log; config: Pick<Config, 'secretScanningKeysUrl'> },
): void {
  const { clock, log, config } = auth
  const keys = createPublicKeys({ clock, log, url: config.secretScanningKeysUrl })
  app.register(async (scope: App) => {
    // The signature covers the bytes of the body, so the bytes are verified before they are parsed.
    scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, body: Buffer) => body,
    )

    scope.post(
      '/secret-scanning/alerts',
      {
        // Callers need no credential, because the signature of the body authenticates them.
        onRequest: publicRoute,
        config: { worksWhenDiskIsFull: true, anonymousBodyBytes: BODY_BYTES },
        preValidation: async (request) => {
          const body: unknown = request.body
          const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
          await requireSignature(keys, request.headers, bytes)
          request.body = parseStrictJson(bytes) as typeof request.body
        },
        schema: {
          operationId: 'reportLeakedKeys',
          problems: [authProblems.invalid_signature],
          tags: ['API keys'],
          summary: 'Report leaked API keys',
          description:
            'For the secret scanning partner programme of GitHub. The body is signed with a key of GitHub (`Github-Public-Key-Identifier`, `Github-Public-Key-Signature`). The service revokes reported keys at once and notifies their owners.',
          body: AlertsBody,
          response: { 200: VerdictsBody },
        },
      },
      async (request) => revokeLeaked(auth, request.body),
    )
  })
}
