import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contract, type Json, operations, requireOperation, visitObjects } from './document.ts'

test('the shared records of the API have names', () => {
  const names = Object.keys(contract.components.schemas)
  for (const name of [
    ...['Problem', 'DesignDocument', 'Placement', 'Layer', 'TextLayer', 'ImageLayer', 'ShapeLayer', 'QrLayer'],
    ...['PostalAddress', 'TokenPair', 'User', 'ApiKey', 'Customer', 'Permission', 'Role', 'CountryCode', 'EventType'],
    ...[
      'DesignList',
      'OrderList',
      'ProductList',
      'AssetList',
      'ApiKeyList',
      'EventList',
      'ManagedUserList',
      'CustomerList',
    ],
  ])
    assert.ok(names.includes(name), name)
})

test('every JSON body is a named schema or a list of them', () => {
  for (const { operationId, requestBody, responses } of operations.values()) {
    const bodies = [requestBody, ...Object.values(responses)].map((body) => body?.content?.['application/json']?.schema)
    for (const schema of bodies) {
      if (schema === undefined || schema['type'] === 'array') continue
      assert.match(String(schema['$ref']), /^#\/components\/schemas\/[A-Z]\w+$/, operationId)
    }
  }
  const { requestBody } = requireOperation('createDesign')
  assert.deepEqual(requestBody?.content['application/json']?.schema, {
    $ref: '#/components/schemas/CreateDesignRequest',
  })
})

test('a member of a request with a default may be left out', () => {
  for (const [name, schema] of Object.entries(contract.components.schemas)) {
    if (!name.endsWith('Request')) continue
    const { required = [], properties = {} } = schema as { required?: string[]; properties?: Record<string, object> }
    for (const member of required) assert.ok(!('default' in (properties[member] ?? {})), `${name} ${member}`)
  }
})

test('every reference leads to a schema', () => {
  visitObjects(contract, ({ $ref }, place) => {
    if (typeof $ref !== 'string') return
    const [, , kind = '', name = ''] = $ref.split('/')
    assert.ok(contract.components[kind]?.[name] !== undefined, `${place}: ${$ref}`)
  })
})

test('a long list of values is in the document once', () => {
  const places = new Map<string, string[]>()
  visitObjects(contract, (schema: Json, place) => {
    const values = schema['enum']
    if (!Array.isArray(values) || values.length < 12) return
    const list = JSON.stringify(values)
    places.set(list, [...(places.get(list) ?? []), place])
  })
  for (const found of places.values()) assert.equal(found.length, 1, found.join('\n'))
})

test('responses state the values of countries, roles and permissions as requests do', () => {
  const { PostalAddress, PostalAddressInput, ApiKey, CreateApiKeyRequest } = contract.components.schemas
  const member = (schema: Json = {}, name: string) => {
    const { [name]: found = {} } = schema['properties'] as Record<string, Json>
    return found
  }
  for (const schema of [PostalAddress, PostalAddressInput])
    assert.equal(member(schema, 'country')['$ref'], '#/components/schemas/CountryCode')
  for (const schema of [ApiKey, CreateApiKeyRequest])
    assert.match(JSON.stringify(member(schema, 'permissions')['items']), /schemas\/Permission"/)
})
