import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { EVENT_TYPES } from '../../src/features.ts'
import { type Examples, readExamples } from '../../src/platform/http/operations/document/examples.ts'
import { contract, type Json, operations } from '../contract/document.ts'
import { recordExamples } from './record-examples.ts'
import { shapeOf } from './shape.ts'

const RUN = 'run: npm run examples, then npm run openapi'

/** The media types whose examples are values of JSON or text. Others are files. */
const SHOWN = /^application\/(?:json|jose)$|^text\//

const committed = readExamples()

test('the examples have the members and types of the responses of the service', async (t) => {
  const recorded = await recordExamples(t)
  const shapesOf = ({ operations: calls, events }: Examples) =>
    Object.fromEntries(
      [...Object.entries(calls), ...Object.entries(events)].map(([name, value]) => [name, shapeOf(value)]),
    )
  assert.deepEqual(shapesOf(committed), shapesOf(recorded), RUN)
})

test('every operation with a JSON or text body has an example of it in the document', () => {
  const missing: string[] = []
  for (const { operationId, requestBody, responses } of operations.values()) {
    const success = Object.entries(responses).filter(([status]) => /^2/.test(status))
    const bodies = success.flatMap(([, { content }]) => Object.entries(content ?? {}))
    const shown = bodies.filter(([type]) => SHOWN.test(type))
    if (shown.length > 0 && !shown.some(([, media]) => 'example' in media)) missing.push(`${operationId}: response`)
    const { schema, ...media } = requestBody?.content['application/json'] ?? {}
    const isEmpty = schema?.['$ref'] === '#/components/schemas/EmptyRequest'
    if (schema !== undefined && !isEmpty && !('example' in media)) missing.push(`${operationId}: request`)
  }
  assert.deepEqual(missing, [], RUN)
})

test('every event type, the test event and an erased event have an example', () => {
  const types = [...EVENT_TYPES, 'webhook.test', 'erased'].sort()
  const { event } = contract['webhooks'] as { event: { post: { requestBody: { content: Record<string, Json> } } } }
  const { examples = {} } = event.post.requestBody.content['application/json'] ?? {}
  assert.deepEqual(Object.keys(examples as Json).sort(), types, RUN)
})

test('every example matches its schema', () => {
  const faults: string[] = []
  const check = (name: string, schema: Json | undefined, value: unknown) => {
    const isValid = compile(schema ?? {})
    if (!isValid(value)) faults.push(`${name}: ${ajv.errorsText(isValid.errors)}`)
  }
  for (const { operationId, requestBody, responses } of operations.values()) {
    const { request, response } = committed.operations[operationId] ?? {}
    if (request !== undefined)
      check(`${operationId}: request`, requestBody?.content['application/json']?.schema, request)
    if (response === undefined || typeof response.value === 'string') continue
    const { content } = responses[response.status] ?? {}
    check(`${operationId}: response`, content?.['application/json']?.schema, response.value)
  }
  for (const [type, event] of Object.entries(committed.events))
    check(type, { $ref: '#/components/schemas/WebhookEvent' }, event)
  assert.deepEqual(faults, [])
})

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(contract, 'api')

function compile(schema: Json): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')))
}
