import { EmptyBody } from '../../platform/http/empty-body.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf } from '../http/caller-of.ts'
import { requireSession, requireStepUp } from '../http/guards.ts'
import { credentialNotAccepted } from '../problems.ts'
import { NoContent } from '../schemas.ts'
import { findUser } from '../users/store.ts'
import { type ConfirmFactorDeps, confirmFactor } from './confirm-factor.ts'
import { type EnableFactorDeps, enableFactor } from './enable-factor.ts'
import { countUnusedCodes, listFactors } from './factors/store.ts'
import { removeFactor, renewRecoveryCodes } from './remove-factor.ts'
import {
  ConfirmBody,
  EnableBody,
  EnabledBody,
  FactorParams,
  MfaBody,
  PendingFactorBody,
  RecoveryCodesBody,
  toMfaBody,
  toPendingFactorBody,
} from './schemas.ts'

type RoutesDeps = EnableFactorDeps & ConfirmFactorDeps

/** One's own second factors and recovery codes. */
export function mfaRoutes(app: App, auth: RoutesDeps): void {
  enrolmentRoutes(app, auth)

  app.get(
    '/api/auth/mfa',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'getMfa',
        tags: ['Account'],
        summary: 'Read your second factors',
        description: 'Passkeys are listed by `GET /api/auth/webauthn/credentials`.',
        response: { 200: MfaBody },
      },
    },
    async (request) => {
      const { userId } = principalOf(request)
      const user = await findUser(auth.db, userId)
      if (user === undefined) throw credentialNotAccepted()
      const factors = await listFactors(auth.db, userId, auth.clock.now())
      return toMfaBody(factors, user.mfaMethods, await countUnusedCodes(auth.db, userId))
    },
  )

  app.delete(
    '/api/auth/mfa/:factorId',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'removeFactor',
        tags: ['Account'],
        summary: 'Remove a second factor',
        description: 'Ends your other sessions. The recovery codes go with the last factor.',
        params: FactorParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await removeFactor(auth, callerOf(auth, request), request.params.factorId)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/api/auth/mfa/recovery-codes',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'renewRecoveryCodes',
        tags: ['Account'],
        summary: 'Get new recovery codes',
        description: 'The earlier ones stop to work, and your other sessions end.',
        body: EmptyBody,
        response: { 200: RecoveryCodesBody },
      },
    },
    async (request) => ({ recoveryCodes: await renewRecoveryCodes(auth, callerOf(auth, request)) }),
  )
}

function enrolmentRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/mfa/enable',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'enableFactor',
        tags: ['Account'],
        summary: 'Begin to add a second factor',
        description:
          'It counts for nothing until `POST /api/auth/mfa/confirm` has seen its first code, within ten minutes. For ' +
          '`sms` that code is sent now; another number replaces the present one when it is confirmed.',
        body: EnableBody,
        response: { 200: PendingFactorBody },
      },
    },
    async (request) => toPendingFactorBody(await enableFactor(auth, callerOf(auth, request), request.body ?? {})),
  )

  app.post(
    '/api/auth/mfa/confirm',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'confirmFactor',
        tags: ['Account'],
        summary: 'Confirm a second factor by its first code',
        description:
          'From then on signing in asks for it. Ends your other sessions. The first factor of an account comes with ' +
          'recovery codes.',
        body: ConfirmBody,
        response: { 200: EnabledBody },
      },
    },
    async (request) => {
      const { recoveryCodes } = await confirmFactor(auth, callerOf(auth, request), request.body)
      return { status: 'enabled' as const, ...(recoveryCodes === undefined ? {} : { recoveryCodes }) }
    },
  )
}
