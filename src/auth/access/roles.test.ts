import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startService, type TestService } from '../../../test/harness.ts'
import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import { PERMISSIONS, type Permission } from './permissions.ts'

interface Described {
  /** Empty for operations that need no credential. */
  security: Record<string, string[]>[]
  requestBody?: { required?: boolean }
  'x-platen-permission'?: string | string[]
  /** Each suffices instead. */
  'x-platen-alternative-permissions'?: Permission[]
  'x-platen-role'?: 'operator' | 'admin'
}

interface Operation extends Described {
  method: string
  path: string
}

interface Case {
  role: Role
  staffRole: StaffRole | null
  holds: ReadonlySet<Permission>
}

const READS: Permission[] = ['designs:read', 'assets:read', 'products:read', 'orders:read']
const OWN: Permission[] = [...READS, 'designs:write', 'assets:write', 'orders:write', 'events:read']
const WEBHOOKS: Permission[] = ['webhooks:read', 'webhooks:write']
const STAFF: Permission[] = [
  'customers:read',
  'customers:write',
  'prices:write',
  'payments:write',
  'production:write',
  'shipping:write',
]
const IN_PREPRESS: Permission[] = [...READS, 'designs:write', 'assets:write', 'production:write', 'events:read']

/** What each role may do. Any permission that it does not name here must be refused. */
const CASES: readonly Case[] = [
  { role: 'customer', staffRole: null, holds: new Set([...OWN, ...WEBHOOKS]) },
  { role: 'operator', staffRole: null, holds: new Set([...OWN, ...WEBHOOKS, ...STAFF]) },
  { role: 'operator', staffRole: 'prepress', holds: new Set(IN_PREPRESS) },
  {
    role: 'operator',
    staffRole: 'packing',
    holds: new Set<Permission>(['products:read', 'orders:read', 'shipping:write', 'events:read']),
  },
  {
    role: 'operator',
    staffRole: 'accounting',
    holds: new Set<Permission>(['products:read', 'orders:read', 'payments:write', 'customers:read', 'events:read']),
  },
  {
    role: 'operator',
    staffRole: 'read_only',
    holds: new Set<Permission>([...READS, 'webhooks:read', 'events:read', 'customers:read']),
  },
  { role: 'admin', staffRole: null, holds: new Set(PERMISSIONS) },
]

const RANK = { customer: 0, operator: 1, admin: 2 } as const

async function listOperations(service: TestService): Promise<Operation[]> {
  const { body } = await service.request('GET', '/openapi.json')
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, described]) => ({ method: method.toUpperCase(), path, ...described })),
  )
}

const permissionsFor = (operation: Operation) => [operation['x-platen-permission'] ?? []].flat() as Permission[]

/** Whether a request without content could end the session or the account that sends it. */
function mayEndCaller({ method, path, requestBody }: Operation): boolean {
  return method !== 'GET' && !path.includes('{') && requestBody?.required !== true
}

/** Calls an operation with ids that do not exist and an empty body. Returns the code of a refusal, or `let in`. */
async function attempt(service: TestService, token: string, { method, path }: Operation): Promise<string> {
  // With an unknown event id, the stream of events ends with an error instead of staying open.
  const url = path.replace(/\{\w+\}/g, 'unknown').replace(/\/stream$/, '/stream?after=unknown')
  const content = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
  const { status, body } = await service.request(method, url, { token, ...content })
  assert.ok(status < 500, `${method} ${path}: ${status}`)
  return status === 401 || status === 403 ? `${status} ${body.code}` : 'let in'
}

/** Returns what the response must be, by the roles that the test states and the guard that the document states. */
function expectedFor({ role, holds }: Case, operation: Operation, isKey: boolean): string {
  const required = operation['x-platen-role'] ?? 'customer'
  if (RANK[role] < RANK[required]) return '403 insufficient_role'
  const permissions = permissionsFor(operation)
  if (permissions.length === 0) return isKey ? '403 session_required' : 'let in'
  const alternatives = operation['x-platen-alternative-permissions'] ?? []
  const suffices = permissions.every((one) => holds.has(one)) || alternatives.some((one) => holds.has(one))
  return suffices ? 'let in' : '403 insufficient_scope'
}

/** An account that was restricted after it had signed in and had made a key with every permission of its role. */
async function restrictedLater(service: TestService, admin: string, { role, staffRole }: Case) {
  const { userId, accessToken } = await service.signUp({ role })
  const held = CASES.find((one) => one.role === role && one.staffRole === null)?.holds ?? new Set()
  const body = { name: 'all', permissions: ['read', 'write', ...held] }
  const { key } = (await service.request('POST', '/api/api-keys', { token: accessToken, body })).body
  if (staffRole !== null) {
    const changed = await service.request('PATCH', `/users/${userId}`, { token: admin, body: { staffRole } })
    assert.equal(changed.status, 200)
  }
  return { session: accessToken, key }
}

async function startWithOperations(t: TestContext) {
  const service = await startService(t)
  const operations = (await listOperations(service)).filter(({ security }) => security.length > 0)
  assert.ok(operations.length > 80, `${operations.length} operations`)
  return { service, operations, admin: (await service.signUp({ role: 'admin' })).accessToken }
}

test('AK-4: every operation refuses what the role of a session or of the owner of a key lacks, and nothing else', async (t) => {
  const { service, operations, admin } = await startWithOperations(t)
  const counts = { in: 0, out: 0 }
  await Promise.all(
    CASES.map(async (one) => {
      const { session, key } = await restrictedLater(service, admin, one)
      for (const operation of operations) {
        const fresh = mayEndCaller(operation) ? await service.signUp(one) : undefined
        const expected = expectedFor(one, operation, false)
        counts[expected === 'let in' ? 'in' : 'out'] += 1
        const what = `${one.staffRole ?? one.role} on ${operation.method} ${operation.path}`
        assert.equal(await attempt(service, fresh?.accessToken ?? session, operation), expected, what)
        assert.equal(await attempt(service, key, operation), expectedFor(one, operation, true), `key of ${what}`)
      }
    }),
  )
  assert.ok(counts.in > 300 && counts.out > 150, JSON.stringify(counts))
})

test('every permission guards an operation, and administrators have all of them', async (t) => {
  const { operations } = await startWithOperations(t)
  // The content of quotes and orders determines whether they need it: `agreed-prices.test.ts`.
  const used = new Set([...operations.flatMap(permissionsFor), 'prices:write'])
  assert.deepEqual([...used].sort(), [...PERMISSIONS].sort())
})
