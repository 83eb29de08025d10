import type { Role } from '../../../platform/http/core/principal.ts'
import { HashNotUsable } from '../../passwords/hashes/hash-format.ts'
import { readStoredHash } from '../../passwords/hashes/stored-hash.ts'
import { LABEL_PATTERN } from '../../schemas.ts'
import { normalizeEmailAddress } from '../../users/email-address.ts'

export interface ImportedUser {
  /** Position in the file, for messages: `line 3`, or `entry 3` if the file is an array. */
  place: string
  /** Normalized by `normalizeEmailAddress`. */
  email: string
  name: string | null
  role: Role
  emailVerified: boolean
  /** If null, the user requests a password by mail. */
  passwordHash: string | null
  scheme: string | null
}

export interface Complaint {
  place: string
  /** Description of the fault. Messages print it after `place`. */
  problem: string
}

export interface ReadUsers {
  users: ImportedUser[]
  complaints: Complaint[]
}

const MEMBERS: readonly string[] = ['email', 'name', 'role', 'emailVerified', 'passwordHash']
const ROLES: readonly string[] = ['customer', 'operator', 'admin']
const MAX_NAME_LENGTH = 100
const MAX_HASH_LENGTH = 1000

/**
 * Reads users from lines of JSON or from one JSON array, and collects all faults. An entry has the member `email`, and
 * optionally `name`, `role` (default `customer`), `emailVerified` (default false) and `passwordHash` (see
 * `readStoredHash`).
 */
export function readUsers(text: string): ReadUsers {
  const complaints: Complaint[] = []
  const users: ImportedUser[] = []
  const placeOf = new Map<string, string>()
  for (const { place, value, problem } of entriesOf(text.replace(/^\uFEFF/, ''))) {
    const read = problem === undefined ? readUser(place, value) : [problem]
    if (Array.isArray(read)) {
      complaints.push(...read.map((problem) => ({ place, problem })))
      continue
    }
    const earlier = placeOf.get(read.email)
    if (earlier === undefined) users.push(read)
    else complaints.push({ place, problem: `has the same email as ${earlier}` })
    placeOf.set(read.email, earlier ?? place)
  }
  return { users, complaints }
}

interface Entry {
  place: string
  value?: unknown
  problem?: string
}

function entriesOf(text: string): Entry[] {
  if (text.trimStart().startsWith('[')) {
    const { value, problem } = parse(text)
    if (!Array.isArray(value)) return [{ place: 'the file', problem: problem ?? 'is not an array' }]
    return value.map((value: unknown, index) => ({ place: `entry ${index + 1}`, value }))
  }
  return text.split('\n').flatMap((line, index) => {
    return line.trim() === '' ? [] : [{ place: `line ${index + 1}`, ...parse(line) }]
  })
}

function parse(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    // The message of the parser would quote the text, which contains password hashes.
    return { problem: 'is not valid JSON' }
  }
}

/** Reads one entry. @returns the user, or a list of the faults of the entry */
function readUser(place: string, value: unknown): ImportedUser | string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['is not an object']
  const given = value as Record<string, unknown>
  const problems = Object.keys(given)
    .filter((member) => !MEMBERS.includes(member))
    .map((member) => `has "${member}", which is unknown (known: ${MEMBERS.join(', ')})`)
  const { name = null, role = 'customer', emailVerified = false, passwordHash = null } = given
  const email = typeof given['email'] === 'string' ? normalizeEmailAddress(given['email']) : undefined
  if (email === undefined) problems.push('has no "email" that is a single plain email address')
  if (!isName(name)) problems.push(`has a "name" that is not one line of 1 to ${MAX_NAME_LENGTH} characters`)
  if (!isRole(role)) problems.push(`has a "role" that is none of ${ROLES.join(', ')}`)
  if (typeof emailVerified !== 'boolean') problems.push('has an "emailVerified" that is neither true nor false')
  const hash = readHash(passwordHash)
  if ('problem' in hash) problems.push(`has a "passwordHash" that ${hash.problem}`)
  if (problems.length > 0 || email === undefined || 'problem' in hash) return problems
  return {
    place,
    email,
    name: name as string | null,
    role: role as Role,
    emailVerified: emailVerified === true,
    ...hash,
  }
}

function isName(value: unknown): value is string | null {
  if (value === null) return true
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH && new RegExp(LABEL_PATTERN, 'u').test(value)
}

function isRole(value: unknown): value is Role {
  return typeof value === 'string' && ROLES.includes(value)
}

function readHash(value: unknown): Pick<ImportedUser, 'passwordHash' | 'scheme'> | { problem: string } {
  if (value === null) return { passwordHash: null, scheme: null }
  if (typeof value !== 'string' || value.length > MAX_HASH_LENGTH) return { problem: 'is not the text of a hash' }
  try {
    return { passwordHash: value, scheme: readStoredHash(value).scheme }
  } catch (error) {
    if (error instanceof HashNotUsable) return { problem: error.message }
    throw error
  }
}
