import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contract, operations } from './document.ts'

test('every list with nextCursor takes it as cursor, so that one helper reads them all', () => {
  const withoutCursor: string[] = []
  for (const { operationId, parameters = [], responses } of operations.values()) {
    const { $ref = '' } = responses['200']?.content?.['application/json']?.schema ?? {}
    const { properties = {} } = contract.components.schemas[String($ref).split('/').at(-1) ?? ''] ?? {}
    const isPage = 'nextCursor' in (properties as object)
    if (isPage && !parameters.some(({ name }) => name === 'cursor')) withoutCursor.push(operationId)
  }
  // The identities of an account are always one page.
  assert.deepEqual(withoutCursor, ['listIdentities'])
})
