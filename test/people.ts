import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { insertUser } from '../src/auth/users/store.ts'
import type { Role, StaffRole } from '../src/platform/http/core/principal.ts'
import type { TestService } from './harness.ts'
import { newId } from './ids.ts'

/** Settings that make password hashing cheap. At its real cost, it takes most of the time of a sign-in. */
export const CHEAP_HASHING = { memoryKiB: 64, passes: 1, lanes: 1 }

/** The password of every account for which a test does not set one. */
const PASSWORD = `quiet harbour ${randomUUID()}`

export interface NewPerson {
  role?: Role
  /** Restricts an operator. Only for `signUp`. */
  staffRole?: StaffRole | null
  email?: string
  password?: string
}

export interface SignedUp {
  userId: string
  email: string
  password: string
  accessToken: string
  refreshToken: string
}

/** Inserts an account with a verified email address, and signs in through the API. */
export async function signUp(
  service: Pick<TestService, 'request' | 'db' | 'clock' | 'services'>,
  who: NewPerson = {},
): Promise<SignedUp> {
  const { request, db, clock, services } = service
  const { role = 'customer', staffRole = null, email = `${randomUUID()}@example.com`, password = PASSWORD } = who
  const userId = newId('user')
  const at = clock.now()
  const account = {
    id: userId,
    email,
    name: null,
    role,
    staffRole,
    passwordHash: await services.auth.services.hasher.hash(password),
    emailVerifiedAt: at,
    at,
  }
  if (!(await db.transaction().execute((trx) => insertUser(trx, account)))) throw new Error(`${email} is taken`)
  return { ...(await signIn(request, { email, password })), userId }
}

/** Creates the same account as `signUp`, but with the requests and the mail of a real registration. */
export async function register(
  service: Pick<TestService, 'request' | 'db' | 'origin'>,
  who: NewPerson = {},
): Promise<SignedUp> {
  const { request, origin, db } = service
  const { role = 'customer', email = `${randomUUID()}@example.com`, password = PASSWORD } = who
  const registered = await request('POST', '/api/auth/register', { body: { email, password } })
  if (registered.status !== 202) throw new Error(`register: ${registered.text}`)
  const token = await mailedToken(request, origin, email)
  const verified = await request('POST', '/api/auth/email/verify', { body: { token } })
  if (verified.status !== 200) throw new Error(`verify: ${verified.text}`)
  if (role !== 'customer') await sql`update users set role = ${role} where email = ${email}`.execute(db)
  const signedIn = await signIn(request, { email, password })
  const me = await request('GET', '/me', { token: signedIn.accessToken })
  return { ...signedIn, userId: me.body.id }
}

async function signIn(request: TestService['request'], { email, password }: { email: string; password: string }) {
  const login = await request('POST', '/api/auth/login', { body: { email, password } })
  if (login.status !== 200) throw new Error(`login: ${login.text}`)
  const { accessToken, refreshToken } = login.body
  return { email, password, accessToken, refreshToken }
}

/** Returns the token from the newest mail to an email address. */
export async function mailedToken(request: TestService['request'], origin: string, email: string): Promise<string> {
  const outbox = await request('GET', `${origin}/dev/outbox`)
  const mail = outbox.body.find(
    (message: { to: string; text: string }) => message.to === email && message.text.includes('token='),
  )
  const token = /token=([A-Za-z0-9_.-]+)/.exec(mail?.text ?? '')?.[1]
  if (token === undefined) throw new Error(`no mail with a token for ${email}`)
  return token
}
