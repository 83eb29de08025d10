import { hostname } from 'node:os'
import { CommandError } from '../command-line/command-error.ts'
import { type Terminal, writeError, writeLine } from '../command-line/terminal.ts'
import {
  type Connection,
  type ConnectionOptions,
  DEFAULT_ORIGIN,
  givenOrigin,
  isCredential,
  profileName,
  refuseOpenHttp,
} from './requests/connection.ts'
import { findProfile, type Profile, profilesFile, storeProfile } from './requests/profiles.ts'
import { call, unexpectedResponse } from './requests/request.ts'
import { openPrompt } from './sign-in/prompt.ts'
import { howToRevoke, revokeKey, withSession } from './sign-in/session.ts'

const KEY_DAYS = 90
const DAY_MS = 86_400_000

interface NewKey {
  id: string
  key: string
  permissions: readonly string[]
  expiresAt: string
}

export type LoginOptions = ConnectionOptions & { email?: string }

/** Signs in, stores a new API key in the profile, and ends the session. The former key of the profile is revoked. */
export async function login(options: LoginOptions, terminal: Terminal): Promise<number> {
  const name = profileName(options)
  const former = await findProfile(name)
  const origin = givenOrigin(options) ?? former?.url ?? DEFAULT_ORIGIN
  refuseOpenHttp(origin, { allowHttp: options.allowHttp === true || former?.url === origin })
  const prompt = openPrompt()
  const key = await withSession({ origin, email: options.email, prompt, terminal }, async (session) => {
    const created = await createKey(session)
    const replaced = await store(session, name, { url: origin, apiKey: created.key, keyId: created.id }, terminal)
    if (replaced !== undefined) await retire(session, 'former', replaced, terminal)
    return created
  }).finally(prompt.close)
  writeLine(`Stored an API key for ${origin} as the profile "${name}" in ${profilesFile()}.`, terminal.out)
  writeLine(
    `Permissions: ${key.permissions.join(', ')}. The key expires on ${key.expiresAt.slice(0, 10)}.`,
    terminal.out,
  )
  return 0
}

/** Permissions of persons, which `read` and `write` do not include. The audit log and users stay with sessions. */
const NOT_IN_READ_AND_WRITE = ['customers:read', 'customers:write']

async function createKey(session: Connection): Promise<NewKey> {
  const account = await call<{ permissions?: unknown } | undefined>(session, ['GET', '/me'])
  const own = Array.isArray(account?.permissions) ? account.permissions : []
  const ofStaff = NOT_IN_READ_AND_WRITE.filter((permission) => own.includes(permission))
  const body = {
    name: `platen on ${hostname()}`.replace(/[^\x20-\x7e]/g, '?').slice(0, 100),
    permissions: ['read', 'write', ...ofStaff],
    expiresAt: new Date(Date.now() + KEY_DAYS * DAY_MS).toISOString(),
  }
  const created = await call<unknown>(session, ['POST', '/api/api-keys'], { body })
  if (isNewKey(created)) return created
  throw unexpectedResponse(session)
}

function isNewKey(value: unknown): value is NewKey {
  const { id, key, permissions, expiresAt } = (value ?? {}) as Partial<Record<keyof NewKey, unknown>>
  // Messages name the id within a command line.
  const hasId = typeof id === 'string' && /^\w+$/.test(id)
  return hasId && isCredential(key) && Array.isArray(permissions) && typeof expiresAt === 'string'
}

/** Stores the profile. If that fails, the key is revoked, because its secret is not shown again. */
async function store(
  session: Connection,
  name: string,
  profile: Profile,
  terminal: Terminal,
): Promise<Profile | undefined> {
  try {
    return await storeProfile(name, profile)
  } catch (error) {
    await retire(session, 'new', profile, terminal)
    throw error
  }
}

/** Revokes a key. If that is not possible, a notice says which key stays valid. */
async function retire(session: Connection, which: 'former' | 'new', key: Profile, { err }: Terminal): Promise<void> {
  const reason = await whyNotRevoked(session, key)
  if (reason === undefined) return
  writeError(`The ${which} API key ${key.keyId} of ${key.url} may stay valid: ${reason}`, err)
  writeError(howToRevoke(key), err)
}

async function whyNotRevoked(session: Connection, key: Profile): Promise<string | undefined> {
  if (key.url !== session.origin) return `the profile is now for ${session.origin}.`
  try {
    return (await revokeKey(session, key)) ? undefined : 'it belongs to another account.'
  } catch (error) {
    if (error instanceof CommandError) return error.message.split('\n')[0]
    throw error
  }
}
