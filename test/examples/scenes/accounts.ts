import { newBrowser } from '../../fakes/sign-in/browser.ts'
import { alignToStep, textedCode, totpCode } from '../../lib/second-factor.ts'
import { createPasskey, type SoftwarePasskey, signWithPasskey } from '../../lib/software-authenticator.ts'
import { mailedToken } from '../../people.ts'
import { PASSWORD, type Stage } from './stage.ts'

const PHONE_NUMBER = '+4915112345678'

interface Tokens {
  accessToken: string
  refreshToken: string
}

/** Registration, sign-in, sessions and the password of one account. */
export async function recordAccount({ service, call }: Stage): Promise<void> {
  const email = 'mary@example.com'
  const mailed = (to = email) => mailedToken(service.request, service.origin, to)
  await call('register', { body: { email, password: PASSWORD, name: 'Mary Example' } })
  await call('resendVerification', { body: { email } })
  await call('verifyEmail', { body: { token: await mailed() } })
  const logIn = (): Promise<Tokens> => call('login', { body: { email, password: PASSWORD } })
  const { refreshToken } = await logIn()
  await call('refresh', { body: { refreshToken } })
  const { accessToken: other } = await logIn()
  const { accessToken: token } = await logIn()
  await call('getMe', { token })
  await call('updateMe', { token, body: { name: 'Mary Example', locale: 'de' } })
  await call('getMyStorage', { token })
  await call('exportMe', { token })
  await call('listMySecurityEvents', { token, query: 'limit=2' })
  const { data } = await call('listSessions', { token })
  const oldest = data.find(({ current }: { current: boolean }) => !current)
  await call('revokeSession', { token, params: { sessionId: oldest.id } })
  await call('stepUp', { token, body: { password: PASSWORD } })
  await call('revokeOtherSessions', { token })
  await service.request('GET', '/me', { token: other })
  await call('changePassword', { token, body: { currentPassword: PASSWORD, newPassword: 'a quiet harbour at dawn' } })
  await call('forgotPassword', { body: { email } })
  await call('resetPassword', { body: { token: await mailed(), newPassword: PASSWORD } })
  const { accessToken: again } = await logIn()
  await call('changeEmail', { token: again, body: { newEmail: 'mary@shop.example.com' } })
  await call('confirmEmail', { body: { token: await mailed('mary@shop.example.com') } })
  const last = await service.request('POST', '/api/auth/login', {
    body: { email: 'mary@shop.example.com', password: PASSWORD },
  })
  await call('deleteMe', { token: last.body.accessToken })
  const { accessToken: leaving } = await service.signUp()
  await call('logout', { token: leaving })
}

/** Authenticator app, text messages, passkeys and recovery codes. */
export async function recordFactors({ service, call }: Stage): Promise<void> {
  const person = await service.signUp({ email: 'joan@example.com', password: PASSWORD })
  const { email, password, accessToken: token } = person
  const { passkey, id: credentialId } = await recordPasskey({ service, call }, token)
  const logIn = async (): Promise<string> =>
    (await service.request('POST', '/api/auth/login', { body: { email, password } })).body.mfaToken
  const mfaToken = await logIn()
  const offered = await call('challengeSecondFactor', { body: { mfaToken, method: 'webauthn' } })
  const { challengeId, publicKey } = offered
  await service.request('POST', '/api/auth/mfa/verify', {
    body: { mfaToken, method: 'webauthn', challengeId, credential: signWithPasskey(passkey, publicKey) },
  })
  await call('challengeStepUp', { token, body: { method: 'webauthn' } })

  alignToStep(service.clock)
  const app = await call('enableFactor', { token, body: { method: 'totp' } })
  const code = totpCode(app.secret, service.clock, -1)
  await call('confirmFactor', { token, body: { factorId: app.factorId, code } })
  const body = { mfaToken: await logIn(), method: 'totp', code: totpCode(app.secret, service.clock) }
  await call('verifySecondFactor', { body })
  await call('getMfa', { token })
  const phone = await service.request('POST', '/api/auth/mfa/enable', {
    token,
    body: { method: 'sms', phoneNumber: PHONE_NUMBER },
  })
  const texted = { factorId: phone.body.factorId, code: await textedCode(service, PHONE_NUMBER) }
  await service.request('POST', '/api/auth/mfa/confirm', { token, body: texted })
  await call('renewRecoveryCodes', { token })
  await call('removeFactor', { token, params: { factorId: app.factorId } })
  await call('listPasskeys', { token })
  await call('renamePasskey', { token, params: { credentialId }, body: { name: "Joan's new phone" } })
  await call('removePasskey', { token, params: { credentialId } })
}

async function recordPasskey(
  { service, call }: Pick<Stage, 'service' | 'call'>,
  token: string,
): Promise<{ passkey: SoftwarePasskey; id: string }> {
  const offer = await call('offerPasskey', { token })
  const { passkey, credential } = createPasskey(service.config.origin, offer.publicKey)
  const { clientDataJSON, attestationObject, transports } = credential.response
  const created = documented(credential, { clientDataJSON, attestationObject, transports })
  const added = { challengeId: offer.challengeId, credential: created, name: "Joan's phone" }
  const { id } = await call('addPasskey', { token, body: added })
  const asked = await call('offerPasskeySignIn')
  const assertion = signWithPasskey(passkey, asked.publicKey)
  const body = { challengeId: asked.challengeId, credential: documented(assertion, assertion.response) }
  await call('signInWithPasskey', { body })
  return { passkey, id }
}

/** Leaves out what browsers add and the service ignores. */
function documented({ id, rawId, type }: { id: string; rawId: string; type: string }, response: object): object {
  return { id, rawId, type, response }
}

/** Sign-in with the identities of other providers. */
export async function recordProviders({ service, call, record, google, github }: Stage): Promise<void> {
  google.person = { sub: 'ada-at-google', email: 'rosa@example.com', email_verified: true, name: 'Rosa Example' }
  github.user = { id: 7, login: 'octocat', name: 'The Octocat' }
  github.emails = [{ email: 'octocat@example.com', primary: true, verified: true }]
  await call('signInWithGoogle')
  await call('signInWithGitHub')
  record('finishGoogle', undefined, await newBrowser(service).signIn('google'))
  record('finishGitHub', undefined, await newBrowser(service).signIn('github'))
  const redirectUri = 'https://shop.example.com/signed-in'
  const { headers } = await newBrowser(service).signIn('google', { redirectUri })
  const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
  const { accessToken: token } = await call('redeemCode', { body: { code } })
  await call('listIdentities', { token })
  await call('stepUpWithIdentity', { token, params: { provider: 'google' }, body: { redirectUri } })
  await call('linkIdentity', { token, params: { provider: 'github' }, body: { redirectUri } })
  const person = await service.signUp()
  github.user = { id: 8, login: 'monalisa', name: 'Mona Lisa' }
  github.emails = [{ email: 'monalisa@example.com', primary: true, verified: true }]
  const browser = newBrowser(service)
  const begun = await browser.post('/api/auth/identities/github/link', person.accessToken)
  await browser.returnTo(await browser.visit(begun.body.authorizationUrl))
  await call('unlinkIdentity', { token: person.accessToken, params: { provider: 'github' } })
}
