import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contract, type Json, operations, requireOperation, visitObjects } from './document.ts'

interface Discriminator {
  propertyName: string
  mapping: Record<string, string>
}

const schemaOf = (reference: string): Json => contract.components.schemas[reference.split('/').at(-1) ?? ''] ?? {}

test('every discriminator maps each value to the alternative that requires it', () => {
  let count = 0
  visitObjects(contract, ({ discriminator, oneOf }, place) => {
    if (discriminator === undefined || !Array.isArray(oneOf)) return
    count += 1
    const { propertyName, mapping } = discriminator as Discriminator
    const named = oneOf.map(({ $ref }: { $ref: string }) => $ref)
    assert.deepEqual([...new Set(Object.values(mapping))].sort(), named.sort(), place)
    for (const [value, reference] of Object.entries(mapping)) {
      const { properties, required } = schemaOf(reference) as { properties: Json; required: string[] }
      const values = (properties[propertyName] as { enum: string[] }).enum
      assert.ok(values.includes(value) && required.includes(propertyName), `${place}: ${value}`)
    }
  })
  assert.ok(count >= 4, `${count} discriminators`)
})

test('layers are told apart by type and sign-in results by status', () => {
  const { Layer, SignInResult } = contract.components.schemas
  assert.deepEqual(Layer?.['discriminator'], {
    propertyName: 'type',
    mapping: Object.fromEntries(
      ['Text', 'Image', 'Shape', 'Qr'].map((name) => [name.toLowerCase(), `#/components/schemas/${name}Layer`]),
    ),
  })
  assert.deepEqual(SignInResult?.['discriminator'], {
    propertyName: 'status',
    mapping: {
      authenticated: '#/components/schemas/TokenPair',
      guest: '#/components/schemas/TokenPair',
      mfa_required: '#/components/schemas/SecondFactorRequired',
    },
  })
})

test('a body states whether it may be left out, and never has null as its value', () => {
  for (const { operationId, requestBody } of operations.values()) {
    if (requestBody === undefined) continue
    assert.equal(typeof requestBody.required, 'boolean', operationId)
    for (const { schema: given } of Object.values(requestBody.content)) {
      const schema = typeof given['$ref'] === 'string' ? schemaOf(given['$ref']) : given
      const alternatives = [schema['anyOf'] ?? schema['oneOf'] ?? []].flat() as Json[]
      for (const { type } of [schema, ...alternatives])
        assert.ok(![type].flat().includes('null'), `${operationId} describes a body of null`)
    }
  }
  const optional = [...operations.values()].filter(({ requestBody }) => requestBody?.required === false)
  const ids = optional.map(({ operationId }) => operationId)
  for (const id of ['finalizeDesign', 'cancelOrder', 'linkIdentity', 'testWebhookEndpoint']) assert.ok(ids.includes(id))
  assert.equal(requireOperation('createDesign').requestBody?.required, true)
})

test('alternatives that exclude each other are oneOf', () => {
  const alternatives = (name: string) => contract.components.schemas[name]?.['oneOf'] as { $ref: string }[]
  assert.deepEqual(
    alternatives('CreateOrderRequest').map(({ $ref }) => $ref.split('/').at(-1)),
    ['OrderFromQuote', 'OrderFromBasket'],
  )
  assert.equal(alternatives('StepUpRequest').length, 3)
  // Later versions may add codes, so a problem with members of its own is also described as any problem.
  visitObjects(contract, ({ anyOf }, place) => {
    if (!place.includes('/application/problem+json/')) assert.equal(anyOf, undefined, place)
  })
})
