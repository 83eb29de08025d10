import { principalOf } from '../../platform/http/core/principal.ts'
import { EmptyBody } from '../../platform/http/input/empty-body.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf } from '../http/caller-of.ts'
import { requireSession, requireStepUp } from '../http/guards.ts'
import { authProblems, codeProblems, credentialNotAccepted, SMS_PROBLEMS } from '../problems.ts'
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

export function mfaRoutes(app: App, auth: RoutesDeps): void {
  enrolmentRoutes(app, auth)

  app.get(
    '/api/auth/mfa',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'getMfa',
        tags: ['Account'],
        summary: 'Read the second factors of the account',
        description: '`GET /api/auth/webauthn/credentials` lists passkeys.',
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
        description: 'Ends the other sessions. Removing the last factor also removes the recovery codes.',
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
        problems: [authProblems.mfa_not_enabled],
        tags: ['Account'],
        summary: 'Renew the recovery codes',
        description: 'The old codes stop working, and the other sessions end.',
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
        problems: [
          authProblems.factor_exists,
          authProblems.sms_not_configured,
          authProblems.country_not_allowed,
          authProblems.phone_number_not_mobile,
          ...SMS_PROBLEMS,
        ],
        tags: ['Account'],
        summary: 'Start to add a second factor',
        description:
          'The factor becomes active when `POST /api/auth/mfa/confirm` receives its first code, within ten minutes. For `sms` this operation sends the code; confirming another number replaces the current one.',
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
        problems: [
          codeProblems.invalid_code,
          authProblems.factor_not_found,
          authProblems.factor_exists,
          authProblems.login_blocked,
        ],
        tags: ['Account'],
        summary: 'Confirm a second factor with its first code',
        description:
          'From then on, sign-in requires a second factor. Ends the other sessions. With the first factor of an account, the response contains recovery codes.',
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
