import type { FastifyRequest } from 'fastify'
import type { Principal } from '../platform/http/principal.ts'
import type { JobDefinition } from '../platform/jobs.ts'
import { createAccessTokens } from './access/access-token.ts'
import { createAuthenticator } from './access/authenticate.ts'
import { startAccessWatch } from './access/watch.ts'
import { createAttempts } from './attempts/attempts.ts'
import { createDeviceCookies } from './attempts/device-cookie.ts'
import { createAudit } from './audit/audit.ts'
import type { AuthContext, AuthDeps } from './context.ts'
import { authJobs } from './jobs.ts'
import { openSigningKeys, type PublicKeySet } from './keys/signing-keys.ts'
import { signStatement } from './keys/statements.ts'
import { createPasswordHasher } from './passwords/hasher.ts'

/** A token signed as its person's access changed can be presented a little longer than it lives. */
const DOUBT_MARGIN_SECONDS = 60

export interface Auth {
  /** Who is calling; undefined for nobody, also when the credential is bad. Throws only when the database is needed and away. */
  authenticate(request: FastifyRequest): Promise<Principal | undefined>
  /** Signs a statement of the service, such as a receipt; `verifyStatement` checks it with `jwks()` alone. */
  signStatement(payload: object, options: { typ: string }): Promise<string>
  jwks(): PublicKeySet
  jobs: JobDefinition[]
  /** What this feature's own routes work with. */
  context: AuthContext
  /** Gives back its database connection; to be called before the pool is closed. */
  close(): Promise<void>
}

/**
 * Starts the feature: loads the signing keys (makes them at the first start) and listens for changes on other nodes.
 *
 * @throws with instructions when the keys in the database cannot be read with the secret in the data folder
 */
export async function createAuth(deps: AuthDeps): Promise<Auth> {
  const { db, pool, clock, log, config } = deps
  const { accessSeconds, stepUpSeconds } = config.tokens
  const doubtSeconds = accessSeconds + DOUBT_MARGIN_SECONDS
  const keys = await openSigningKeys(deps, config.dataDir)
  const tokens = createAccessTokens({ keys, clock, origin: config.origin, accessSeconds })
  const watch = await startAccessWatch({ db, pool, clock, log, doubtSeconds })
  const authenticator = createAuthenticator({ pool, clock, log, tokens, watch, doubtSeconds, stepUpSeconds })
  const audit = createAudit({ clock })
  const context: AuthContext = {
    ...deps,
    keys,
    tokens,
    watch,
    attempts: createAttempts({ db, clock, rules: config.login, audit }),
    audit,
    devices: createDeviceCookies(keys.derive('platen device cookies 1'), {
      secure: config.origin.startsWith('https:'),
    }),
    hasher: createPasswordHasher(),
  }
  return {
    authenticate: authenticator.authenticate,
    signStatement: (payload, options) => signStatement(keys, payload, options),
    jwks: keys.jwks,
    jobs: authJobs(deps),
    context,
    close: async () => {
      await authenticator.close()
      await watch.close()
    },
  }
}
