import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createTranslator } from '../../../ui/src/i18n/translator.ts'
import { emptyState, rect } from '../factory.ts'
import { findRule, ruleOf } from './problems.ts'
import { contentOf } from './saver/versions.ts'
import { toProblem } from './to-problem.ts'

const root = new URL('../../../../', import.meta.url)
const context = { content: contentOf(emptyState([rect('a')])), isKept: true }

/** Codes of other forms of the request, and of the version, which leads to a merge. */
const OF_OTHER_REQUESTS = [
  'precondition_failed',
  'patch_invalid',
  'patch_test_failed',
  'external_reference_taken',
  'malformed_json',
  'malformed_request',
  'unsupported_media_type',
]

/** Returns the codes with which the service may respond to a save, from its API document. */
async function codesOfSaves(): Promise<string[]> {
  const { paths, components } = JSON.parse(await readFile(new URL('openapi.json', root), 'utf8'))
  const [, operations] = Object.entries<{ patch: { responses: object } }>(paths).find(([path]) =>
    path.endsWith('/designs/{designId}'),
  ) ?? ['', { patch: { responses: {} } }]
  const responses = Object.values<{ $ref?: string; description?: string }>(operations.patch.responses)
  const descriptions = responses.map(({ $ref, description = '' }) =>
    $ref === undefined ? description : components.responses[$ref.replace(/.*\//, '')].description,
  )
  return [...new Set([...descriptions.join('\n').matchAll(/^-? ?`([a-z_]+)`:/gm)].map(([, code = '']) => code))]
}

test('each code that the service documents for a save has a rule', async () => {
  const codes = await codesOfSaves()
  assert.ok(codes.includes('design_not_draft') && codes.length > 10, codes.join())
  const without = codes.filter((code) => findRule(code) === undefined && !OF_OTHER_REQUESTS.includes(code))
  assert.deepEqual(without, [])
})

for (const [code, status, behaviour] of [
  ['a_later_code', 401, 'sign_in'],
  ['a_later_code', 403, 'stop'],
  ['a_later_code', 404, 'stop'],
  ['a_later_code', 409, 'stop'],
  ['a_later_code', 422, 'change'],
  ['a_later_code', 429, 'retry'],
  ['a_later_code', 500, 'retry'],
  ['unexpected_response', 404, 'retry'],
  ['unexpected_response', 413, 'change'],
  ['constructor', undefined, 'retry'],
] as const) {
  test(`${code} with ${status ?? 'no'} status leads to ${behaviour}`, () => {
    assert.equal(ruleOf(code, status).behaviour, behaviour)
  })
}

test('errors of functions of the page, and what is no error, are tried again', () => {
  for (const error of [new Error('no token: 500'), undefined, 'broken', null, { code: 5 }]) {
    const { behaviour, code } = toProblem(error, context)
    assert.deepEqual([behaviour, code], ['retry', 'unknown'])
  }
})

test('a layer that a template locks is named', () => {
  const errors = [{ code: 'layer_locked', pointer: '/document/placements/0/layers/0/x', detail: 'Locked.' }]
  const problem = toProblem({ code: 'layer_locked', status: 422, detail: 'Locked.', errors }, context)
  assert.deepEqual([problem.message, problem.layerId], ['saveLayerLocked', 'a'])
})

test('the words say whether the changes are kept on the device, in English and German', async () => {
  for (const language of ['en', 'de']) {
    const { editor } = JSON.parse(await readFile(new URL(`packages/ui/messages/${language}.json`, root), 'utf8'))
    const translator = createTranslator<string>(language, editor, editor)
    const texts = ['yes', 'no'].map((kept) => translator.text('saveOffline', { kept }))
    assert.equal(new Set(texts).size, 2)
  }
  assert.equal(findRule('connection_failed')?.message, 'saveOffline')
})
