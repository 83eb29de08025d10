import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../src/features.ts'
import { contract, type Json, operations } from './document.ts'

function mappingOf(name: string): Record<string, string> {
  const { discriminator } = contract.components.schemas[name] as { discriminator: { mapping: Record<string, string> } }
  return discriminator.mapping
}

test('every event type has the schema of its record', () => {
  const mapping = mappingOf('Event')
  assert.deepEqual(Object.keys(mapping).sort(), [...EVENT_TYPES].sort())
  assert.match(mapping['order.shipped'] ?? '', /OrderEvent$/)
  assert.match(mapping['design.finalized'] ?? '', /DesignEvent$/)
  const { properties } = contract.components.schemas['OrderEvent'] as { properties: Record<string, Json> }
  assert.deepEqual(properties['data']?.['oneOf'], [
    { $ref: '#/components/schemas/Order' },
    { $ref: '#/components/schemas/ErasedRecord' },
  ])
})

test('the document describes webhook requests with their headers and the test event', () => {
  const { event } = contract['webhooks'] as Record<string, { post: Json }>
  const text = JSON.stringify(event)
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) assert.ok(text.includes(name), name)
  assert.match(text, /schemas\/WebhookEvent/)
  assert.match(JSON.stringify(contract.components.schemas['WebhookEvent']), /Event.*WebhookTestEvent/)
})

test('every tag has a description', () => {
  const tags = contract['tags'] as { name: string; description: string }[]
  const used = new Set([...operations.values()].flatMap((operation) => operation.tags))
  assert.deepEqual(tags.map(({ name }) => name).sort(), [...used].sort())
})
