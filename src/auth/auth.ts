import { type Awaitable, andThen } from '../platform/awaitable.ts'
import { createSealedBox, type SealedBox } from '../platform/cryptography/sealed-box.ts'
import { createSigner, type Signer } from '../platform/cryptography/signer.ts'
import type { Trx } from '../platform/db/index.ts'
import { bearerOf } from '../platform/http/core/bearer.ts'
import type { Principal } from '../platform/http/core/principal.ts'
import type { HttpRequest } from '../platform/http/core/request.ts'
import type { LimitedLookUp } from '../platform/http/rate-limit.ts'
import type { JobDefinition } from '../platform/jobs/jobs.ts'
import { type AdminAct, recordAdminAct } from './audit/admin-acts.ts'
import { createAudit } from './audit/audit.ts'
import { auditJobs } from './audit/chain/jobs.ts'
import { createSealer } from './audit/chain/sealer.ts'
import { measureVerification } from './audit/chain/verification.ts'
import type { SecurityEvent } from './audit/events.ts'
import { createAuthenticator } from './authentication/authenticate.ts'
import { createActing } from './customers/act-for-customer.ts'
import { createCustomerTokens } from './customers/customer-token.ts'
import { administratorOf, clientOf } from './http/caller-of.ts'
import { authJobs } from './jobs.ts'
import { openSigningKeys, type PublicKeySet } from './keys/signing-keys.ts'
import { signStatement } from './keys/statements.ts'
import { mayMailUnconfirmed } from './mail/unconfirmed-addresses.ts'
import { createSmsCapAlarm } from './mfa/sms/cap-alarm.ts'
import { openProviders } from './oauth/open-providers.ts'
import { createPasswordHasher } from './passwords/hasher.ts'
import { notify, type RevocationCache, startRevocationCache } from './revocation/revocation-cache.ts'
import type { AuthDeps, AuthServices } from './services.ts'
import { createAccessTokens } from './sessions/access-token.ts'
import { createDeviceCookies } from './throttle/device-cookies.ts'
import { createThrottle } from './throttle/throttle.ts'
import { createTickets, type Tickets } from './tickets/tickets.ts'

/**
 * An access token is accepted for this long after its expiry, to tolerate differences between clocks. An invalidation
 * must last until the tokens that it concerns are no longer accepted.
 */
const INVALIDATION_MARGIN_SECONDS = 60

export interface Notices extends Pick<RevocationCache, 'onNotice' | 'isTrusted'> {
  /** Makes every process call `readAgain` of a topic when the transaction commits. */
  notify(trx: Trx, topic: string): Promise<void>
}

export interface Auth {
  /**
   * Authenticates the caller of a request.
   *
   * @returns undefined if the request has no valid credential
   * @throws only if the database is needed and is unavailable
   */
  authenticate(request: HttpRequest, lookUp?: LimitedLookUp): Awaitable<Principal | undefined>
  /**
   * Signs a statement of the service, such as a receipt. `verifyStatement` verifies it with nothing but the public keys
   * that `jwks()` returns. The method makes no query, so it may be called within a transaction; call
   * `refreshSigningKeys` before that transaction.
   */
  signStatement(payload: object, options: { typ: string }): Promise<string>
  /**
   * Reads the signing keys again if they may have changed. It uses a connection of its own, so never call it within a
   * transaction.
   */
  refreshSigningKeys(): Promise<void>
  jwks(): PublicKeySet
  /**
   * Records what an administrator did to the shop, in the transaction of that act. Default type:
   * `shop_settings_changed`.
   */
  recordAdminAct(
    trx: Trx,
    request: HttpRequest,
    details: NonNullable<SecurityEvent['details']>,
    type?: AdminAct,
  ): Promise<void>
  /** Counts a mail that a user causes to an address that it has not confirmed. Returns whether the limits allow it. */
  mayMailUnconfirmed(mail: { email: string; senderId: string }): Promise<boolean>
  /**
   * Returns a box that encrypts and decrypts secrets of one purpose. It is for secrets that the service must read
   * again, such as those of webhook endpoints.
   */
  boxFor(purpose: string): SealedBox
  /** Signs texts that only the service itself checks, such as links. */
  signerFor(purpose: string): Signer
  /** Notifications of all processes that settings or keys have changed. */
  notices: Notices
  /** Tickets for streams of events. */
  tickets: Tickets
  jobs: JobDefinition[]
  services: AuthServices
  /** Closes the database connection that receives invalidations. Call it before closing the pool. */
  close(): Promise<void>
}

/**
 * Starts the feature. It loads the signing keys, which it creates at the first start, and listens for changes on other
 * nodes.
 *
 * @throws with instructions if the secret in the data folder cannot decrypt the keys in the database
 */
export async function createAuth(deps: AuthDeps): Promise<Auth> {
  const { db, pool, openApart, clock, log, config } = deps
  const { accessSeconds, stepUpSeconds } = config.tokens
  const invalidationSeconds = accessSeconds + INVALIDATION_MARGIN_SECONDS
  const revocations = await startRevocationCache({ db, openApart, clock, log, invalidationSeconds })
  const keys = await openSigningKeys({ db, clock, accessSeconds, revocations }, config).catch(async (error) => {
    await revocations.close()
    throw error
  })
  const tokens = createAccessTokens({ keys, clock, log, origin: config.origin, accessSeconds })
  const customerTokens = createCustomerTokens({ keys, clock, log, origin: config.origin })
  const sealer = createSealer({ db, log, keys })
  const audit = createAudit({ clock, sealer, registry: deps.metrics.registry })
  measureVerification(db, deps.metrics.registry)
  const authenticator = createAuthenticator({
    db,
    pool,
    clock,
    log,
    tokens,
    customerTokens,
    signingKeys: keys,
    revocations,
    audit,
    invalidationSeconds,
    stepUpSeconds,
  })
  const actFor = createActing({ db, clock, log, audit })
  const services: AuthServices = {
    ...deps,
    keys,
    tokens,
    customerTokens,
    revocations,
    throttle: createThrottle({ db, clock, rules: config.login, audit }),
    audit,
    devices: createDeviceCookies({ keys, clock }),
    hasher: createPasswordHasher(undefined, { processes: deps.group?.processes, log }),
    providers: openProviders(config, { log }),
    smsCapAlarm: createSmsCapAlarm({ clock, log, registry: deps.metrics.registry }),
  }
  return {
    authenticate: (request, lookUp) => {
      const credential = bearerOf(request)
      if (credential === undefined) return undefined
      const readClient = () => clientOf(deps, request)
      const header = request.headers['platen-customer']
      const found = authenticator.authenticate(credential, readClient, lookUp)
      if (header === undefined) return found
      return andThen(found, (principal) =>
        principal === undefined
          ? undefined
          : actFor({ principal, header: String(header), route: request.routeOptions.config, client: readClient() }),
      )
    },
    signStatement: (payload, options) => signStatement(keys, payload, options),
    refreshSigningKeys: keys.refresh,
    jwks: keys.jwks,
    mayMailUnconfirmed: async (mail) =>
      config.rateLimits === undefined || mayMailUnconfirmed(db, { keys, clock }, mail),
    recordAdminAct: (trx, request, details, type) =>
      recordAdminAct(audit, trx, administratorOf(deps, request), details, type),
    boxFor: (purpose) => createSealedBox(() => keys.deriveAll(purpose)),
    signerFor: (purpose) => createSigner(() => keys.deriveAll(purpose)),
    notices: { onNotice: revocations.onNotice, isTrusted: revocations.isTrusted, notify },
    tickets: createTickets({ db, pool, clock, revocations }),
    jobs: [
      ...authJobs({ ...deps, revocations, audit, keys }),
      ...auditJobs({ db, clock, log, sealer, keys, keepSeconds: config.auditSeconds }),
    ],
    services,
    close: async () => {
      await authenticator.close()
      await sealer.close()
      await revocations.close()
      await services.hasher.close()
    },
  }
}
