import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, requireOperation } from './document.ts'

test('an operation states its permission, role and step-up', () => {
  assert.equal(requireOperation('createDesign')['x-platen-permission'], 'designs:write')
  assert.deepEqual(requireOperation('addOrderNote')['x-platen-alternative-permissions'], [
    'payments:write',
    'production:write',
    'shipping:write',
  ])
  assert.equal(requireOperation('listUsers')['x-platen-role'], 'admin')
  const changed = requireOperation('deleteMe')
  assert.deepEqual([changed['x-platen-step-up'], changed['x-platen-permission']], [true, undefined])
  assert.match(changed.description ?? '', /Requires: a session with a recent sign-in or step-up/)
  assert.deepEqual(requireOperation('login').security, [])
})

test('the extensions agree with the security of the operation', () => {
  for (const operation of operations.values()) {
    const { operationId, description = '' } = operation
    const { security } = operation
    const { 'x-platen-permission': permission = [], 'x-platen-alternative-permissions': alternatives = [] } = operation
    const permissions = [permission, alternatives].flat()
    const takesKeys = security.some(({ apiKey }) => apiKey !== undefined)
    assert.equal(permissions.length > 0, takesKeys, operationId)
    for (const permission of permissions) assert.ok(description.includes(`\`${permission}\``), operationId)
    assert.equal(description.includes('Requires: '), security.length > 0, operationId)
  }
})
