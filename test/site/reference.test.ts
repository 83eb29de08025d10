import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { OPERATIONS } from '../../packages/client/src/operations.ts'
import { clientCall } from '../../src/site/reference/client-call.ts'
import { type ApiDocument, byTag, endpointsOf, slugOf } from '../../src/site/reference/document.ts'
import { curlExample, exampleRequest, fetchExample } from '../../src/site/reference/request-examples.ts'
import { startService } from '../harness.ts'

const ORIGIN = 'http://127.0.0.1:8080'

test('the reference has every operation of the running service under its operationId', async (t) => {
  const service = await startService(t)
  const { body } = await service.request('GET', '/openapi.json')
  for (const [tag, endpoints] of byTag(endpointsOf(body as ApiDocument))) {
    const { text, status } = await service.request('GET', `${service.origin}/docs/reference/${slugOf(tag)}`)
    assert.equal(status, 200, tag)
    for (const { operationId, method, path } of endpoints) {
      assert.ok(text.includes(`<h2 id="${operationId}">`), operationId)
      assert.ok(text.includes(`<span class="method">${method}</span> <code>${path}</code>`), operationId)
    }
  }
})

test('the reference has the call of the TypeScript client for every operation, with its arguments', async (t) => {
  const service = await startService(t)
  const { body: document } = await service.request('GET', '/openapi.json')
  const endpoints = endpointsOf(document as ApiDocument)
  const expected = [...OPERATIONS.values()].map(({ name, method, path, input }) => {
    const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    const given = [...pathParameters, ...(input === undefined ? [] : [input])]
    return `${method} ${path} platen.${name}(${given.join(', ')})`
  })
  const found = endpoints.map((one) => `${one.method} ${one.documentPath} ${clientCall(document, one)}`)
  assert.deepEqual(found.sort(), expected.sort())
  const { text } = await service.request('GET', `${service.origin}/docs/reference/designs`)
  assert.ok(text.includes('<code>platen.designs.change(designId, body)</code>'))
})

test('the example of every operation has a body that its schema accepts', async (t) => {
  const service = await startService(t)
  const { body: document } = await service.request('GET', '/openapi.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'api')
  const faults: string[] = []
  for (const endpoint of endpointsOf(document as ApiDocument)) {
    const { body } = exampleRequest(document, endpoint, ORIGIN)
    if (body?.json === undefined) continue
    const schema = endpoint.requestBody?.content[body.mediaType]?.schema ?? {}
    const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')))
    if (!check(body.json)) faults.push(`${endpoint.operationId}: ${ajv.errorsText(check.errors)}`)
  }
  assert.deepEqual(faults, [])
})

test('every example is TypeScript that parses, and a curl command with the path of the operation', async (t) => {
  const service = await startService(t)
  const { body: document } = await service.request('GET', '/openapi.json')
  for (const endpoint of endpointsOf(document as ApiDocument)) {
    const request = exampleRequest(document, endpoint, ORIGIN)
    assert.doesNotThrow(
      () => new Script(`async () => {${stripTypeScriptTypes(fetchExample(request))}}`),
      endpoint.operationId,
    )
    const pathPattern = new RegExp(`^${endpoint.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    assert.match(new URL(request.url).pathname, pathPattern)
    assert.ok(curlExample(request).includes(`'${request.url}'`), endpoint.operationId)
  }
})
