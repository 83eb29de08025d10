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
  // The same for an unknown address, a wrong password and a disabled account, so that none can be told from another.
  invalid_credentials: { status: 401, title: 'The e-mail address or the password is wrong' },
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
  login_blocked: {
    status: 429,
    title: 'Too many failed attempts',
    help: 'Wait for the seconds in `Retry-After`; until then nothing is evaluated, not even the right password. Resetting the password by mail lifts the block of the account.',
  },
  sign_in_busy: {
    status: 503,
    title: 'Too many passwords are being checked at the moment',
    help: 'Nothing was evaluated or counted. Repeat the request after the seconds in `Retry-After`.',
  },
  password_rejected: {
    status: 422,
    title: 'The password is too easy to guess',
    help: '`errors[].code` is `too_short`, `too_long`, `common` or `self_related`. Any characters are allowed; length is what counts.',
  },
  current_password_wrong: { status: 422, title: 'The current password is wrong' },
  invalid_token: {
    status: 400,
    title: 'The token from the mail is not valid, or no longer',
    help: 'It works once, for a limited time, and only the one from the newest mail. Ask for a new mail.',
  },
  session_not_found: { status: 404, title: 'No such session' },
  user_not_found: { status: 404, title: 'No such user' },
  last_administrator: {
    status: 409,
    title: 'At least one administrator must remain',
    help: 'Make another user an administrator first.',
  },
  api_key_not_found: { status: 404, title: 'No such API key' },
  api_key_expired: { status: 409, title: 'The API key has expired', help: 'Create a new one.' },
})
