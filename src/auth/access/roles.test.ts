import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startService, type TestService } from '../../../test/harness.ts'
import { attempt, type DescribedOperation, listOperations, permissionsFor } from '../../../test/lib/list-operations.ts'
import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import { PERMISSIONS, type Permission } from './permissions.ts'

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

/** Whether a request without content could end the session or the account that sends it. */
function mayEndCaller({ method, path, requestBody }: DescribedOperation): boolean {
  return method !== 'GET' && !path.includes('{') && requestBody?.required !== true
}

/** Returns what the response must be, by the roles that the test states and the guard that the document states. */
function expectedFor({ role, holds }: Case, operation: DescribedOperation, isKey: boolean): string {
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
