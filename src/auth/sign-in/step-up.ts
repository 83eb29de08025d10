import type { FastifyRequest } from 'fastify'
import type { IssuedAccessToken } from '../access/access-token.ts'
import { notAccepted, sessionOf } from '../access/guards.ts'
import type { AuthContext } from '../context.ts'
import { confirmPassword } from '../passwords/confirm-password.ts'
import { setAuthenticated } from '../sessions/store.ts'

/**
 * Takes a new proof of who the person is into the session they are in, and signs an access token that says so.
 *
 * @throws `current_password_wrong`, `login_blocked`
 */
export async function stepUp(auth: AuthContext, request: FastifyRequest, password: string): Promise<IssuedAccessToken> {
  const { userId, credentialId } = sessionOf(request)
  const { user, session } = await confirmPassword(
    auth,
    request,
    { userId, password, pointer: '/password' },
    async (trx, user) => ({
      user,
      session: await setAuthenticated(trx, credentialId, ['pwd'], auth.clock.now()),
    }),
  )
  // It was ended while the password was being evaluated.
  if (session === undefined) throw notAccepted()
  return auth.tokens.issue({
    sessionId: session.id,
    userId,
    role: user.role,
    authenticatedAt: session.authenticatedAt,
    methods: session.authenticationMethods,
    sessionExpiresAt: session.expiresAt,
  })
}
