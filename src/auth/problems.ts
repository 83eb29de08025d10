import { Type } from 'typebox'
import { defineProblems } from '../platform/problem.ts'

/** Errors of this feature. Each key is the `code` that a response contains. */
export const authProblems = defineProblems({
  authentication_required: {
    status: 401,
    title: 'Authentication required',
    help: 'Send `Authorization: Bearer` with an access token from `POST /api/auth/login`, or with an API key.',
  },
  credential_not_accepted: {
    status: 401,
    title: 'Invalid or expired credential',
    help: 'An access token is valid for 15 minutes: get a new one with `POST /api/auth/refresh`. An API key may have been revoked or have expired.',
  },
  // An unknown email address, a wrong password and a disabled account have the same code, so that clients cannot
  // distinguish them.
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    help: 'The email address, the password or the passkey is wrong, or the account cannot be used. The response deliberately does not state which.',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'Invalid or expired refresh token',
    help: 'Sign in again. A refresh token is valid for 30 days and each use replaces it. If a response is lost, the client may repeat the request with the same token within 10 seconds of its first use (by default). Later use of a replaced token ends the session.',
  },
  email_not_verified: {
    status: 403,
    title: 'Email address not verified',
    help: 'Open the link in the mail. The service sends the mail again when the user signs in, or on `POST /api/auth/email/resend`, at most once a minute.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Missing permission',
    members: { permission: Type.String({ description: 'The missing permission.' }) },
    help: '`permission` names the permission that the credential lacks. Create an API key that has it.',
  },
  insufficient_role: {
    status: 403,
    title: 'Role of the account does not allow this',
    members: { requiredRole: Type.String({ description: 'The lowest role that may do this.' }) },
  },
  session_required: {
    status: 403,
    title: 'Operation needs the session of an account',
    help: 'API keys, customer tokens and guests cannot manage accounts or API keys. Sign in as the account and use the access token.',
  },
  step_up_required: {
    status: 403,
    title: 'Recent authentication required',
    members: { maxAge: Type.Integer({ description: 'Seconds that a sign-in or step-up counts as recent.' }) },
    help: 'Authenticate again with `POST /api/auth/step-up`, then repeat the request with the access token from its response. Accounts that can sign in only with a provider use `POST /api/auth/identities/{provider}/step-up`. `maxAge` is the number of seconds for which a step-up is valid.',
  },
  foreign_origin: {
    status: 403,
    title: 'Origin not allowed',
    help: 'The `Origin` of a sign-in or sign-out request must be the service itself, an origin of `PLATEN_CORS_ORIGINS` or that of a URL in `PLATEN_REDIRECT_URIS`. With `session=cookie` it must be the service itself.',
  },
  platen_session_required: {
    status: 400,
    title: 'Platen-Session header required',
    help: 'Requests with `session=cookie` need the header `Platen-Session: cookie`, which only scripts of the page can send.',
  },
  login_blocked: {
    status: 429,
    title: 'Too many failed attempts',
    members: { block: Type.Union([Type.Literal('temporary'), Type.Literal('extended')]) },
    help: 'Wait for the number of seconds in `Retry-After`; until then, the service rejects even the right password. A password reset by mail ends a block of passwords, but not a block of one-time codes.',
  },
  sign_in_busy: {
    status: 503,
    title: 'Too many sign-ins in progress',
    help: 'No password was checked, and the request does not count as a failed attempt. Repeat the request after the number of seconds in `Retry-After`.',
  },
  password_rejected: {
    status: 422,
    title: 'Password too easy to guess',
    help: '`errors[].code` is `too_short`, `too_long`, `common`, `self_related` or `breached`. All characters are allowed. Choosing a longer password is the best solution.',
  },
  current_password_wrong: {
    status: 422,
    title: 'Current password is wrong',
    help: 'Send the current password, or reset it with `POST /api/auth/password/forgot`.',
  },
  // Also returned if a change of the account, such as a new password, cancelled the sign-in of the token.
  invalid_mfa_token: {
    status: 401,
    title: 'Invalid or expired mfaToken',
    help: 'An `mfaToken` is valid once, for five minutes. It becomes invalid when a credential of the account changes, or after too many wrong codes. Sign in again.',
  },
  invalid_code: {
    status: 401,
    title: 'Second factor is wrong',
    help: 'A code works once. Wait for the next code of the authenticator app, or request a new text message.',
  },
  method_not_enabled: {
    status: 422,
    title: 'Second factor not enabled for the account',
    help: '`GET /api/auth/mfa` lists the factors of the account.',
  },
  factor_not_found: {
    status: 404,
    title: 'Second factor not found',
    help: 'A factor that is not confirmed within ten minutes is removed.',
  },
  factor_exists: {
    status: 409,
    title: 'Second factor of this kind already enabled',
    help: 'Remove the enabled factor first. To replace a telephone number, confirm another one.',
  },
  mfa_not_enabled: {
    status: 409,
    title: 'Account has no second factor',
    help: 'Recovery codes exist only for accounts with a second factor. First add an authenticator app, a telephone number or a passkey.',
  },
  invalid_token: {
    status: 400,
    title: 'Invalid or expired token',
    help: 'A token from a mail works once, for a limited time, and only if it is from the newest mail. Request a new mail.',
  },
  webauthn_failed: {
    status: 422,
    title: 'Passkey registration failed',
    help: 'Get new options from `POST /api/auth/webauthn/register` and try again. Options are valid once, for five minutes, in the session that requested them. The authenticator must verify the user.',
  },
  credential_exists: {
    status: 409,
    title: 'Passkey already registered',
    help: 'Use another passkey, or sign in with this one.',
  },
  credential_not_found: { status: 404, title: 'Passkey not found' },
  passkey_limit_reached: {
    status: 409,
    title: 'Too many passkeys (limit 20 per account)',
    help: 'Remove a passkey first.',
  },
  last_way_in: {
    status: 409,
    title: 'Last sign-in method of the account',
    help: 'Without this sign-in method, the user could no longer sign in. First set a password (`POST /api/auth/password/forgot`), add a passkey or link a provider.',
  },
  email_unchanged: { status: 409, title: 'Account already has this email address' },
  email_taken: {
    status: 409,
    title: 'Email address belongs to another account',
    help: 'Another account verified the email address after the change was requested. Nothing was changed.',
  },
  sms_not_configured: {
    status: 422,
    title: 'Text messages not configured',
    help: 'Use an authenticator app, a passkey or a recovery code.',
  },
  country_not_allowed: {
    status: 422,
    title: 'Text messages to this country not allowed',
    help: 'Use a number of another country, an authenticator app or a passkey.',
  },
  phone_number_not_mobile: {
    status: 422,
    title: 'Not a mobile telephone number',
    help: 'Only a mobile number can receive the code. Use a mobile number, an authenticator app or a passkey.',
  },
  sms_limited: {
    status: 429,
    title: 'Too many text messages',
    help: 'The service sends at most one message a minute, 5 an hour and 10 a day to a number, 10 a day for an account and 20 a day for an IP address. It also limits how many numbers the clients of one network enrol in an hour. No message was sent. Wait for the number of seconds in `Retry-After`, or use another factor or a recovery code.',
  },
  sms_unavailable: {
    status: 503,
    title: 'Text messages temporarily unavailable',
    help: 'The service has reached its hourly limit of messages. No message was sent. Wait for the number of seconds in `Retry-After`, or use another factor or a recovery code.',
  },
  redirect_uri_not_allowed: {
    status: 400,
    title: 'Redirect URI not allowed',
    help: '`redirectUri` must equal one of `PLATEN_REDIRECT_URIS`, character for character.',
  },
  invalid_state: {
    status: 400,
    title: 'Invalid or expired provider sign-in',
    help: 'A sign-in with a provider must be completed within 10 minutes, in the browser that started it, and only once. Linking a provider and a step-up also require that the session that started them is still open. Start again.',
  },
  access_denied: {
    status: 403,
    title: 'Sign-in denied at the provider',
    help: 'The user or the provider denied access. Start again.',
  },
  provider_answer_invalid: {
    status: 401,
    title: 'Invalid response from the sign-in provider',
    help: 'The response of the provider was incomplete, was not signed by the provider, or belongs to another sign-in. Start again.',
  },
  provider_email_unverified: {
    status: 403,
    title: 'Email address not verified by the provider',
    help: 'Verify the email address at the provider. Alternatively, sign in with another method, then link the provider to the account.',
  },
  provider_unavailable: {
    status: 503,
    title: 'Sign-in provider not responding',
    help: 'Start again after the number of seconds in `Retry-After`.',
  },
  account_exists: {
    status: 409,
    title: 'Account with this email address exists',
    help: 'Sign in first, then link the provider: `POST /api/auth/identities/{provider}/link`. A matching email address alone does not give access to an account.',
  },
  invalid_grant: {
    status: 400,
    title: 'Invalid or expired authorization code',
    help: 'A code works once, within 60 seconds. Send the `codeVerifier` that belongs to the `codeChallenge` with which the sign-in started. If it started without a challenge, send no verifier.',
  },
  identity_taken: {
    status: 409,
    title: 'Provider identity linked to another account',
    help: 'Unlink the identity from the other account first, or use another identity at the provider.',
  },
  provider_already_linked: {
    status: 409,
    title: 'Account already linked to this provider',
    help: 'Unlink the provider first: an account can have one identity per provider.',
  },
  identity_not_found: { status: 404, title: 'Account not linked to this provider' },
  session_not_found: { status: 404, title: 'Session not found' },
  user_not_found: { status: 404, title: 'User not found' },
  last_administrator: {
    status: 409,
    title: 'At least one administrator must remain',
    help: 'Make another user an administrator first.',
  },
  staff_role_needs_operator: {
    status: 422,
    title: 'Staff role needs the role operator',
    help: 'Only operators have a staff role. Send `role: "operator"` with it.',
  },
  signing_keys_too_young: {
    status: 409,
    title: 'Next signing key published too recently',
    members: { readyAt: Type.String({ format: 'date-time', description: 'When every client has the next key.' }) },
    help: 'Clients that cache the key set may not have the next key yet, and would reject new signatures. Repeat the request after `readyAt`, or send `force: true`.',
  },
  registration_closed: {
    status: 403,
    title: 'Registration not open',
    help: 'This installation creates accounts by invitation only (`registration` of the shop settings). Ask an administrator for one.',
  },
  invitation_not_found: { status: 404, title: 'Invitation not found' },
  invitation_needs_sign_in: {
    status: 409,
    title: 'Account with this email address exists',
    help: 'Sign in with the invited email address, then send the token to `POST /api/auth/invitations/claim`.',
  },
  invitation_for_another_account: {
    status: 403,
    title: 'Invitation for another email address',
    help: 'Sign in with the account that has the invited email address.',
  },
  factor_reset_not_found: { status: 404, title: 'Request to remove second factors not found' },
  factor_reset_exists: {
    status: 409,
    title: 'Removal of second factors already requested',
    help: 'Another administrator confirms the open request, or it is completed after 24 hours.',
  },
  factor_reset_of_self: {
    status: 403,
    title: 'Not for the own account',
    help: 'Another administrator requests and confirms the removal of your second factors.',
  },
  second_administrator_required: {
    status: 403,
    title: 'Another administrator must confirm',
    help: 'The administrator who requested the removal cannot confirm it, nor can one whose role has changed in the last 24 hours. Without a confirmation, it is completed after 24 hours.',
  },
  api_key_not_found: { status: 404, title: 'API key not found' },
  too_many_api_keys: {
    status: 409,
    title: 'Too many API keys (limit 50 per account)',
    help: 'Revoke a key that is no longer needed. Revoked and expired keys do not count.',
  },
  invalid_signature: {
    status: 401,
    title: 'Invalid GitHub signature',
    help: 'The headers `Github-Public-Key-Identifier` and `Github-Public-Key-Signature` must contain the name of a key of GitHub’s secret scanning, and a signature of the bytes of the body with this key.',
  },
  api_key_expired: { status: 409, title: 'API key expired', help: 'Create a new key.' },
})

/** Errors of customers without an account and of guests. */
export const customerProblems = defineProblems({
  customer_not_found: { status: 404, title: 'Customer not found' },
  customer_exists: {
    status: 409,
    title: 'Customer with this external id exists',
    members: {
      customerId: Type.String({ description: 'Id of the customer that has the external id.' }),
    },
    help: '`customerId` is the id of the existing customer. To change that customer, use `PATCH /customers/{id}`.',
  },
  customer_has_account: {
    status: 409,
    title: 'Customer has an account',
    help: 'Only the owner changes the email address of an account, and only the owner or an administrator deletes an account. An account cannot be merged with another customer. To move the work of a guest to an account, its owner calls `POST /api/auth/guest/claim`.',
  },
  customer_unknown: {
    status: 422,
    title: 'Unknown customer',
    help: '`Platen-Customer` must name a customer as `cus_...` or `ext:` and its external id. Create it with `POST /customers` first.',
  },
  merge_into_itself: { status: 422, title: 'Customer cannot be merged into itself' },
  guest_limit_reached: {
    status: 403,
    title: 'Too many designs for a guest (limit 20, with archived ones 500)',
    help: 'Register or sign in, then move the designs to the account with `POST /api/auth/guest/claim`.',
  },
  invalid_guest_token: {
    status: 400,
    title: 'Invalid or expired guest token',
    help: 'Send the refresh token of the guest session, not that of an account. The work of a guest can be moved only once.',
  },
})

/** Errors of acting for a customer who has an account. */
export const impersonationProblems = defineProblems({
  customer_has_account: {
    status: 403,
    title: 'Customer has an account',
    help: 'Only the owner of an account reads its drafts. Operators can act only for customers without an account.',
  },
})

/** Errors of a wrong code within a session. The status is not 401, because the credential of the request was valid. */
export const codeProblems = defineProblems({
  invalid_code: {
    status: 422,
    title: 'Wrong code',
    help: 'A code works once. Wait for the next code of the authenticator app, or request a new text message.',
  },
})

/** Rejects a credential that is invalid or was revoked during the request (RFC 6750, section 3). */
export function credentialNotAccepted(detail?: string) {
  const challenge = 'Bearer realm="platen", error="invalid_token"'
  const headers = { 'WWW-Authenticate': challenge }
  return authProblems.credential_not_accepted(detail === undefined ? { headers } : { headers, detail })
}

/** Rejects a request whose password cannot be hashed now. */
export const signInBusy = () => authProblems.sign_in_busy({ headers: { 'Retry-After': '2' } })

/**
 * Maximum number of passwords that wait to be hashed, and of attempts that wait for others of the same bucket. Further
 * requests are rejected, so that no request waits for more than some seconds.
 */
export const SIGN_INS_WAITING = {
  max: 200,
  whenFull: signInBusy,
}

/** The problems of operations that can set or read the cookie of a browser session. */
export const COOKIE_PROBLEMS = [authProblems.platen_session_required, authProblems.foreign_origin]

/** The problems of routes that everyone may call, but some callers only with a permission (`requirePermission`). */
export const PERMISSION_PROBLEMS = [authProblems.authentication_required, authProblems.insufficient_scope]

export const SMS_PROBLEMS = [authProblems.sms_limited, authProblems.sms_unavailable]
