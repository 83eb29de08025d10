import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { type Github, startGithub } from '../../../test/fakes/sign-in/github.ts'
import { type Google, startGoogle } from '../../../test/fakes/sign-in/google.ts'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { enableTotp, textedCode } from '../../../test/lib/second-factor.ts'
import { addPasskey, type SoftwarePasskey, signInWithPasskey } from '../../../test/lib/software-authenticator.ts'
import { mailedToken, type SignedUp } from '../../../test/people.ts'

const REDIRECT_URI = 'https://app.example.com/done'

const ACCOUNT_STATES = ['active', 'unverified', 'disabled'] as const
type AccountState = (typeof ACCOUNT_STATES)[number]

interface World {
  service: TestService
  google: Google
  github: Github
}

interface Account extends SignedUp {
  githubId: number
  passkey: SoftwarePasskey | undefined
}

type Outcome = 'in' | 'second factor' | 'refused' | 'nothing'

// The states of second factors

interface FactorState {
  enrol(world: World, who: SignedUp): Promise<SoftwarePasskey | undefined>
  /** The methods that the response lists after a sign-in with one factor. */
  methods: string[]
}

const enrolTotp: FactorState['enrol'] = async ({ service }, who) => {
  await enableTotp(service, who)
  return undefined
}

const enrolPasskey: FactorState['enrol'] = async ({ service }, { accessToken }) => {
  const { passkey, answer } = await addPasskey(service, accessToken)
  assert.equal(answer.status, 201, answer.text)
  return passkey
}

const enrolSms: FactorState['enrol'] = async ({ service }, { accessToken: token }) => {
  const phoneNumber = `+49151${Math.floor(10_000_000 + Math.random() * 89_999_999)}`
  const begun = await service.request('POST', '/api/auth/mfa/enable', { token, body: { method: 'sms', phoneNumber } })
  const body = { factorId: begun.body.factorId, code: await textedCode(service, phoneNumber) }
  const confirmed = await service.request('POST', '/api/auth/mfa/confirm', { token, body })
  assert.equal(confirmed.status, 200, confirmed.text)
  return undefined
}

const FACTOR_STATES: Readonly<Record<string, FactorState>> = {
  none: { enrol: async () => undefined, methods: [] },
  'an app that is unconfirmed': {
    enrol: async ({ service }, { accessToken: token }) => {
      assert.equal((await service.request('POST', '/api/auth/mfa/enable', { token })).status, 200)
      return undefined
    },
    methods: [],
  },
  app: { enrol: enrolTotp, methods: ['totp', 'recovery_code'] },
  telephone: { enrol: enrolSms, methods: ['sms', 'recovery_code'] },
  passkey: { enrol: enrolPasskey, methods: ['webauthn', 'recovery_code'] },
  'app and passkey': {
    enrol: async (world, who) => {
      await enrolTotp(world, who)
      return enrolPasskey(world, who)
    },
    methods: ['webauthn', 'totp', 'recovery_code'],
  },
}

// The sign-in methods

interface SignInMethod {
  /** Signs in, and returns the last response. Returns undefined if the account does not have this method. */
  go(world: World, account: Account): Promise<TestResponse | undefined>
  verifies: 'one factor' | 'both factors' | 'nothing'
  /** Whether the method also verifies the email address of an account. */
  isMailVerified?: boolean
}

const logIn = ({ service }: World, { email, password }: SignedUp) =>
  service.request('POST', '/api/auth/login', { body: { email, password } })

/** Sends the token of a pending sign-in to routes that must not accept it. */
const misuse =
  (use: (world: World, mfaToken: string) => Promise<TestResponse>): SignInMethod['go'] =>
  async (world, account) => {
    const { mfaToken } = (await logIn(world, account)).body
    return mfaToken === undefined ? undefined : use(world, mfaToken)
  }

const reset = async ({ service }: World, account: Account): Promise<TestResponse> => {
  service.clock.shift(61)
  await service.request('POST', '/api/auth/password/forgot', { body: { email: account.email } })
  const token = await mailedToken(service.request, service.origin, account.email)
  const newPassword = `quiet harbour ${randomUUID()}`
  const answer = await service.request('POST', '/api/auth/password/reset', { body: { token, newPassword } })
  if (answer.status === 204) account.password = newPassword
  return answer
}

const signInAt =
  (provider: 'google' | 'github') =>
  async (world: World, account: Account, query = {}) => {
    const { service, google, github } = world
    google.person = { sub: account.userId, email: account.email, email_verified: true, name: 'Ada' }
    github.user = { id: account.githubId, login: 'ada', name: 'Ada' }
    github.emails = [{ email: account.email, primary: true, verified: true }]
    return newBrowser(service).signIn(provider, query)
  }

const signInAndRedeem = (provider: 'google' | 'github') => async (world: World, account: Account) => {
  const back = await signInAt(provider)(world, account, { redirectUri: REDIRECT_URI })
  assert.equal(back.status, 302)
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code')
  return world.service.request('POST', '/api/auth/token', { body: { code: code ?? 'none' } })
}

const SIGN_IN_METHODS: Readonly<Record<string, SignInMethod>> = {
  password: { verifies: 'one factor', go: logIn },
  google: { verifies: 'one factor', go: signInAt('google') },
  'google, by a code for the client': { verifies: 'one factor', go: signInAndRedeem('google') },
  github: { verifies: 'one factor', go: signInAt('github') },
  'github, by a code for the client': { verifies: 'one factor', go: signInAndRedeem('github') },
  passkey: {
    verifies: 'both factors',
    go: async ({ service }, { passkey }) => (passkey === undefined ? undefined : signInWithPasskey(service, passkey)),
  },
  'passkey that has not verified the user': {
    verifies: 'nothing',
    go: async ({ service }, { passkey }) =>
      passkey === undefined ? undefined : signInWithPasskey(service, passkey, { isVerified: false }),
  },
  'the link that verifies the email': {
    verifies: 'nothing',
    go: async ({ service }, { email }) => {
      service.clock.shift(61)
      await service.request('POST', '/api/auth/email/resend', { body: { email } })
      const token = await mailedToken(service.request, service.origin, email)
      return service.request('POST', '/api/auth/email/verify', { body: { token } })
    },
  },
  'the link that sets a password': { verifies: 'nothing', go: reset },
  'a password set by a link': {
    verifies: 'one factor',
    // The mail with the link shows that the user owns the email address.
    isMailVerified: true,
    go: async (world, account) => {
      await reset(world, account)
      return logIn(world, account)
    },
  },
  'refresh with the token of a pending sign-in': {
    verifies: 'nothing',
    go: misuse(({ service }, refreshToken) => service.request('POST', '/api/auth/refresh', { body: { refreshToken } })),
  },
  'a code for the client that is the token of a pending sign-in': {
    verifies: 'nothing',
    go: misuse(({ service }, code) => service.request('POST', '/api/auth/token', { body: { code } })),
  },
  'the token of a pending sign-in as a credential': {
    verifies: 'nothing',
    go: misuse(({ service }, token) => service.request('GET', '/me', { token })),
  },
  'the token of a pending sign-in with a wrong code': {
    verifies: 'nothing',
    go: misuse(({ service }, mfaToken) =>
      service.request('POST', '/api/auth/mfa/verify', { body: { mfaToken, method: 'totp', code: '000000' } }),
    ),
  },
}

// The expected outcomes

function expected(method: SignInMethod, { methods }: FactorState, state: AccountState): Outcome[] {
  if (method.verifies === 'nothing') return ['refused', 'nothing']
  if (state === 'disabled' || (state === 'unverified' && method.isMailVerified !== true)) return ['refused']
  return methods.length > 0 && method.verifies === 'one factor' ? ['second factor'] : ['in']
}

function outcomeOf({ status, body }: TestResponse): Outcome {
  if (status >= 400) return 'refused'
  if (body.status === 'authenticated') return 'in'
  return body.status === 'mfa_required' ? 'second factor' : 'nothing'
}

async function start(t: TestContext): Promise<World> {
  const google = await startGoogle(t)
  const github = await startGithub(t)
  const env = { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000', PLATEN_REDIRECT_URIS: REDIRECT_URI }
  return { google, github, service: await startService(t, { env: { ...google.env, ...github.env, ...env } }) }
}

async function newAccount(world: World, factor: FactorState): Promise<Account> {
  const { service } = world
  const who = await service.register()
  const passkey = await factor.enrol(world, who)
  const githubId = Math.floor(Math.random() * 1e12) + 1
  for (const [provider, subject] of [
    ['google', who.userId],
    ['github', String(githubId)],
  ]) {
    await sql`insert into identities (provider, subject, user_id, created_at)
      values (${provider}, ${subject}, ${who.userId}, now())`.execute(service.db)
  }
  return { ...who, githubId, passkey }
}

async function setState({ db, clock }: TestService, { userId }: Account, state: AccountState): Promise<void> {
  const now = clock.now()
  await sql`update users set disabled_at = ${state === 'disabled' ? now : null},
    email_verified_at = ${state === 'unverified' ? null : now} where id = ${userId}`.execute(db)
}

async function sessionsOf({ db }: TestService, { userId }: Account): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sessions where user_id = ${userId}`.execute(db)
  return rows[0]?.count ?? 0
}

for (const [factorName, factor] of Object.entries(FACTOR_STATES)) {
  test(`MF-3: every sign-in method requires the second factor of the account: ${factorName}`, async (t) => {
    const world = await start(t)
    const { service } = world
    let went = 0
    for (const state of ACCOUNT_STATES) {
      const account = await newAccount(world, factor)
      for (const [name, method] of Object.entries(SIGN_IN_METHODS)) {
        await setState(service, account, state)
        const before = await sessionsOf(service, account)
        const answer = await method.go(world, account)
        if (answer === undefined) continue
        went += 1
        const what = `${name}, ${state}: ${answer.status} ${answer.text}`
        // If attempts were blocked, the response would not show the outcome of the method.
        assert.notEqual(answer.status, 429, what)
        const outcome = outcomeOf(answer)
        assert.ok(expected(method, factor, state).includes(outcome), what)
        if (outcome === 'in') continue
        assert.equal(await sessionsOf(service, account), before, what)
        assert.doesNotMatch(answer.text, /accessToken|refreshToken/, what)
        // The device of a reset is not known: it only has attempts of its own for the password.
        assert.doesNotMatch(answer.headers.get('set-cookie') ?? '', /platen_device=(?!reset\.)/, what)
        if (outcome === 'second factor') assert.deepEqual(answer.body.methods, factor.methods, what)
      }
    }
    assert.ok(went >= ACCOUNT_STATES.length * 8, String(went))
  })
}
