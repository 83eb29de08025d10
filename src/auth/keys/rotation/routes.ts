import type { Config } from '../../../config/index.ts'
import { addSeconds, type Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { App } from '../../../platform/http/server.ts'
import type { Audit } from '../../audit/audit.ts'
import { administratorOf } from '../../http/caller-of.ts'
import type { CookieSettings } from '../../http/cookies.ts'
import { requireAdminStepUp, requireRole } from '../../http/guards.ts'
import { authProblems } from '../../problems.ts'
import { acceptedSecondsOf } from '../signing-keys.ts'
import { listSigningKeys } from '../store.ts'
import { rotateSigningKeys } from './rotate-keys.ts'
import { RotateBody, SigningKeyList, toSigningKeyBody } from './schemas.ts'

const tags = ['System']

type SigningKeyDeps = CookieSettings & {
  db: Db
  clock: Clock
  audit: Audit
  config: Pick<Config, 'dataDir' | 'secretKey' | 'previousSecretKey' | 'tokens'>
}

/** Routes with which administrators see and rotate the signing keys. Leaked keys are revoked on the command line. */
export function signingKeyRoutes(app: App, auth: SigningKeyDeps): void {
  const { db, clock, audit, config } = auth
  const acceptedSeconds = acceptedSecondsOf(config.tokens)
  const list = async () => {
    const keys = await listSigningKeys(db, addSeconds(clock.now(), -acceptedSeconds))
    return { data: keys.toReversed().map((key) => toSigningKeyBody(key, acceptedSeconds)) }
  }

  app.get(
    '/signing-keys',
    {
      onRequest: requireRole('admin', 'system:read'),
      schema: {
        operationId: 'listSigningKeys',
        tags,
        summary: 'List the signing keys',
        description:
          'For administrators. Newest first: the keys that sign or whose signatures are accepted. The list has no pages, because it grows by rotations only.',
        response: { 200: SigningKeyList },
      },
    },
    list,
  )

  app.post(
    '/signing-keys/rotate',
    {
      onRequest: requireAdminStepUp(),
      schema: {
        operationId: 'rotateSigningKeys',
        problems: [authProblems.signing_keys_too_young],
        tags,
        summary: 'Rotate the signing keys',
        description:
          'The next key of each purpose signs from now on, and a new next key is published. Existing signatures stay valid: access tokens until they expire, receipts for ever. If a next key is younger than six minutes, nothing changes, unless `force` is `true`. The response lists the keys. The security events record it as `signing_keys_rotated`.',
        body: RotateBody,
        response: { 200: SigningKeyList },
      },
    },
    async (request) => {
      const { purposes, force = false } = request.body
      const administrator = administratorOf(auth, request)
      const deps = { db, clock, audit, secretFrom: config }
      const rotation = await rotateSigningKeys(deps, { purposes, isForced: force, revoke: false, administrator })
      if (rotation.status === 'rotated') return list()
      throw authProblems.signing_keys_too_young({ members: { readyAt: rotation.readyAt.toISOString() } })
    },
  )
}
