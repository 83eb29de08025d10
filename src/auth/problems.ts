import { defineProblems } from '../platform/problem.ts'

/** Every error this feature shows a client. */
export const authProblems = defineProblems({
  authentication_required: {
    status: 401,
    title: 'This address needs a credential',
    help: 'Send `Authorization: Bearer` with an access token from `POST /api/auth/login`, or with an API key.',
  },
  credential_not_accepted: {
    status: 401,
    title: 'The credential is not valid, or no longer',
    help: 'An access token lives 15 minutes: get a new one with `POST /api/auth/refresh`. An API key may have been revoked or have expired.',
  },
  // One code for an unknown email address, a wrong password and a disabled account, so that they cannot be distinguished.
  invalid_credentials: {
    status: 401,
    title: 'This does not sign anybody in',
    help: 'The address, the password or the passkey is wrong, or the account cannot be used. Which of them is not told.',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'The refresh token is not valid, or no longer',
    help: 'Sign in again. A refresh token is valid for 30 days and replaced at each use; one that is used a second time, later than a lost answer explains, ends its session.',
  },
  email_not_verified: {
    status: 403,
    title: 'The e-mail address is not verified yet',
    help: 'Follow the link in the mail. Signing in, or `POST /api/auth/email/resend`, sends it again, at most once a minute.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The credential lacks the permission for this',
    help: '`permission` names what is missing. Create an API key that has it.',
  },
  insufficient_role: { status: 403, title: 'The role of this account does not allow this' },
  session_required: {
    status: 403,
    title: 'An API key cannot do this',
    help: 'Keys reach neither accounts nor keys: sign in as the person and use the access token.',
  },
  step_up_required: {
    status: 403,
    title: 'The sign-in is too long ago for this',
    help: 'Prove who you are again with `POST /api/auth/step-up` and repeat the request with the access token from its answer. `maxAge` is the number of seconds for which that holds.',
  },
  foreign_origin: {
    status: 403,
    title: 'Pages of this site may not sign people in or out here',
    help: 'The `Origin` of the request is neither the service nor the site of an address in `PLATEN_REDIRECT_URIS`.',
  },
  login_blocked: {
    status: 429,
    title: 'Too many failed attempts',
    help: 'Wait for the seconds in `Retry-After`; until then nothing is evaluated, not even the right password. Resetting the password by mail lifts the block of passwords, not that of one-time codes.',
  },
  sign_in_busy: {
    status: 503,
    title: 'Too many passwords are being checked at the moment',
    help: 'Nothing was evaluated or counted. Repeat the request after the seconds in `Retry-After`.',
  },
  password_rejected: {
    status: 422,
    title: 'The password is too easy to guess',
    help: '`errors[].code` is `too_short`, `too_long`, `common`, `self_related` or `breached`. Any characters are allowed; length is what counts.',
  },
  current_password_wrong: { status: 422, title: 'The current password is wrong' },
  // Also for a token whose sign-in ended with a change of the account, such as a new password.
  invalid_mfa_token: {
    status: 401,
    title: 'The sign-in that waits for its second factor is not known, or no longer',
    help: 'An `mfaToken` works once and for five minutes, and ends when the account changes or too many codes were wrong. Sign in again.',
  },
  invalid_code: {
    status: 401,
    title: 'The second factor is wrong',
    help: 'A code works once: wait for the next one of the authenticator app, or ask for a new message.',
  },
  method_not_enabled: { status: 422, title: 'The account does not have this second factor' },
  factor_not_found: {
    status: 404,
    title: 'No such second factor',
    help: 'One that is not confirmed within ten minutes is forgotten.',
  },
  factor_exists: {
    status: 409,
    title: 'There is such a second factor already',
    help: 'Remove the present one first. A telephone number is replaced by confirming another.',
  },
  mfa_not_enabled: {
    status: 409,
    title: 'The account has no second factor',
    help: 'Recovery codes stand in for a second factor: add an authenticator app, a telephone number or a passkey first.',
  },
  invalid_token: {
    status: 400,
    title: 'The token from the mail is not valid, or no longer',
    help: 'It works once, for a limited time, and only the one from the newest mail. Ask for a new mail.',
  },
  webauthn_failed: {
    status: 422,
    title: 'The passkey could not be added',
    help: 'Get new options from `POST /api/auth/webauthn/register` and try again: they are good once, for five minutes, in the session that asked for them. The authenticator must verify the person.',
  },
  credential_exists: { status: 409, title: 'This passkey is registered already' },
  credential_not_found: { status: 404, title: 'No such passkey' },
  passkey_limit_reached: { status: 409, title: 'An account has at most 20 passkeys', help: 'Remove one first.' },
  last_way_in: {
    status: 409,
    title: 'Nobody could sign in to the account any more',
    help: 'Set a password (`POST /api/auth/password/forgot`), add a passkey or link a provider first.',
  },
  email_unchanged: { status: 409, title: 'The account has this e-mail address already' },
  email_taken: {
    status: 409,
    title: 'Another account has this e-mail address by now',
    help: 'It was confirmed after the change was asked for. Nothing was changed.',
  },
  sms_not_configured: {
    status: 422,
    title: 'This service sends no text messages',
    help: 'Use an authenticator app, a passkey or a recovery code.',
  },
  country_not_allowed: {
    status: 422,
    title: 'No text messages go to this country',
    help: 'Use a number of another country, an authenticator app or a passkey.',
  },
  phone_number_not_mobile: {
    status: 422,
    title: 'The telephone number is not that of a mobile telephone',
    help: 'Only a mobile number can receive the code. Use one, an authenticator app or a passkey.',
  },
  sms_limited: {
    status: 429,
    title: 'Too many text messages',
    help: 'To one number: one a minute, 5 an hour, 10 a day; for one account 10 a day, for one client address 20 a day. Nothing was sent. Wait for the seconds in `Retry-After`, or use another factor or a recovery code.',
  },
  sms_unavailable: {
    status: 503,
    title: 'The service sends no text messages at the moment',
    help: 'It has sent as many as it may in an hour, to everybody together. Nothing was sent. Wait for the seconds in `Retry-After`, or use another factor or a recovery code.',
  },
  provider_not_configured: {
    status: 404,
    title: 'This service does not sign people in with this provider',
    help: 'Whoever runs the service sets up Google with `PLATEN_GOOGLE_CLIENT_ID`, GitHub with `PLATEN_GITHUB_CLIENT_ID`.',
  },
  redirect_uri_not_allowed: {
    status: 400,
    title: 'The browser may not be sent to this address',
    help: '`redirectUri` must be one of `PLATEN_REDIRECT_URIS`, character for character.',
  },
  invalid_state: {
    status: 400,
    title: 'This visit to the provider is not known here, or no longer',
    help: 'It must end in the browser that began it, within 10 minutes, once; linking also in the session that began it. Start again.',
  },
  access_denied: { status: 403, title: 'The sign-in was refused at the provider' },
  provider_answer_invalid: {
    status: 401,
    title: 'The provider did not prove who signed in',
    help: 'Its answer was missing something, was not signed by it, or was not meant for this visit. Start again.',
  },
  provider_email_unverified: {
    status: 403,
    title: 'The provider does not say that the e-mail address is yours',
    help: 'Verify the address at the provider, or sign in here in another way and link the provider to your account.',
  },
  provider_unavailable: {
    status: 503,
    title: 'The provider does not answer',
    help: 'Start again after the seconds in `Retry-After`.',
  },
  account_exists: {
    status: 409,
    title: 'There is an account with this e-mail address already',
    help: 'Sign in first, then link: `POST /api/auth/identities/{provider}/link`. An address alone does not open an account.',
  },
  invalid_grant: {
    status: 400,
    title: 'The code is not valid, or no longer',
    help: 'It works once, within 60 seconds, with the verifier of the challenge that the start was given, and without one if there was none.',
  },
  identity_taken: { status: 409, title: 'Another account is linked to this account at the provider' },
  provider_already_linked: {
    status: 409,
    title: 'Your account is linked to this provider already',
    help: 'Unlink the provider first: an account is linked to one account at each.',
  },
  identity_not_found: { status: 404, title: 'Your account is not linked to this provider' },
  session_not_found: { status: 404, title: 'No such session' },
  user_not_found: { status: 404, title: 'No such user' },
  last_administrator: {
    status: 409,
    title: 'At least one administrator must remain',
    help: 'Make another user an administrator first.',
  },
  api_key_not_found: { status: 404, title: 'No such API key' },
  too_many_api_keys: {
    status: 409,
    title: 'An account has at most 50 API keys that work',
    help: 'Revoke one that is no longer needed.',
  },
  invalid_signature: {
    status: 401,
    title: 'The body is not signed by GitHub',
    help: 'The headers `Github-Public-Key-Identifier` and `Github-Public-Key-Signature` must name a key of GitHub’s secret scanning and its signature of the body’s bytes.',
  },
  api_key_expired: { status: 409, title: 'The API key has expired', help: 'Create a new one.' },
})

/** A code that is wrong inside a session: the credential of the request was good, so it is no 401. */
export const codeProblems = defineProblems({
  invalid_code: {
    status: 422,
    title: 'The code is wrong',
    help: 'A code works once: wait for the next one of the authenticator app, or ask for a new message.',
  },
})

/** Refuses a credential that is not valid, or was revoked while the request ran (RFC 6750, section 3). */
export function credentialNotAccepted() {
  const challenge = 'Bearer realm="platen", error="invalid_token"'
  return authProblems.credential_not_accepted({ headers: { 'WWW-Authenticate': challenge } })
}
