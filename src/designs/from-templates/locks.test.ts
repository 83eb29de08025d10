import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LayerInput } from '../../drawing/index.ts'
import { documentOf, textLayer } from '../factory.ts'
import { openTemplateShop } from './template-shop.fixture.ts'

const L = '/document/placements/0/layers'
const ALL = { move: true, edit: true, style: true, remove: true }

/** A logo that must stay, and a small text whose fix changes its size. */
const LAYERS = [textLayer('Logo', { id: 'logo', lock: ALL }), textLayer('You', { id: 'name', y: 32 })]

async function openLocked(t: Parameters<typeof openTemplateShop>[0], layers: LayerInput[] = LAYERS) {
  const shop = await openTemplateShop(t)
  const { design } = await shop.startFrom(layers)
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    shop.service.request(method, `/designs/${design.id}${path}`, { token: shop.token, body, headers })
  const merge = (document: object) => send('PATCH', '', { document })
  const patch = (...operations: object[]) =>
    send('PATCH', '', new TextEncoder().encode(JSON.stringify(operations)), {
      'content-type': 'application/json-patch+json',
    })
  const read = async () => (await send('GET', '')).body
  return { ...shop, design, send, merge, patch, read }
}

function assertLocked(
  answer: { status: number; body: { code: string; errors: { pointer: string }[] } },
  pointer: string,
) {
  assert.deepEqual([answer.status, answer.body.code], [422, 'layer_locked'], JSON.stringify(answer.body))
  assert.equal(answer.body.errors[0]?.pointer, pointer)
}

test('locks bind every change of a design that was made from a template', async (t) => {
  const { design, merge, patch, read } = await openLocked(t)
  const [logo, name] = LAYERS as [LayerInput, LayerInput]
  assertLocked(await merge(documentOf([{ ...logo, x: 11 }, name])), `${L}/0/x`)
  assertLocked(await merge(documentOf([name, logo])), `${L}/1`)
  assertLocked(await merge(documentOf([name])), `${L}/0`)
  const { lock: _, ...unlocked } = logo
  assertLocked(await merge(documentOf([unlocked as LayerInput, name])), `${L}/0/lock`)
  assertLocked(await merge(documentOf([logo, name], 'back')), '/document/placements/0/layers/0')
  assertLocked(await patch({ op: 'replace', path: `${L}/0/text`, value: 'Mine' }), `${L}/0/text`)
  assertLocked(await patch({ op: 'move', from: `${L}/0`, path: `${L}/1` }), `${L}/1`)
  assertLocked(await patch({ op: 'remove', path: `${L}/0/lock` }), `${L}/0/lock`)
  assertLocked(await patch({ op: 'add', path: `${L}/1/lock`, value: { edit: true } }), `${L}/1/lock`)
  assert.deepEqual(await read(), design)
  const allowed = await merge(documentOf([textLayer('Below', { id: 'new' }), logo, { ...name, opacity: 0.5 }]))
  assert.deepEqual([allowed.status, allowed.body.revision], [200, 2])
})

test('fixes of preflight and earlier revisions are bound by the locks', async (t) => {
  const small = textLayer('Small', { id: 'small', fontSizePt: 3, lock: { style: true } })
  const shop = await openLocked(t, [small, textLayer('You', { id: 'name', y: 32 })])
  assertLocked(await shop.send('POST', '/apply-fixes'), `${L}/0/fontSizePt`)
  // A revision that breaks a lock cannot come about through the API.
  const stored = JSON.stringify(documentOf([textLayer('You', { id: 'small', lock: { style: true } })]))
  await shop.merge(documentOf([small]))
  await shop.service.db.updateTable('design_revisions').set({ document: stored }).execute()
  assertLocked(await shop.send('POST', '/revisions/1/restore'), `${L}/0/fontSizePt`)
  const { body } = await shop.send('POST', '/revisions/2/restore')
  assert.equal(body.document.placements[0].layers.length, 1)
})

test('a duplicate is bound, too', async (t) => {
  const shop = await openLocked(t)
  const { body: copy } = await shop.send('POST', '/duplicate')
  const body = { document: documentOf([]) }
  assertLocked(await shop.service.request('PATCH', `/designs/${copy.id}`, { token: shop.token, body }), `${L}/0`)
})

test('locks do not bind designs without a template, such as the draft of the administrator', async (t) => {
  const shop = await openTemplateShop(t)
  const draft = await shop.draft(LAYERS)
  await shop.publish(draft.id)
  const body = { document: documentOf([]) }
  const own = await shop.service.request('PATCH', `/designs/${draft.id}`, { token: shop.admin, body })
  assert.equal(own.status, 200)
  const { body: design } = await shop.create({ document: documentOf(LAYERS) })
  const free = await shop.service.request('PATCH', `/designs/${design.id}`, { token: shop.token, body })
  assert.equal(free.status, 200)
})

test('a lock changes neither the files nor the content hash', async (t) => {
  const shop = await openTemplateShop(t)
  const hashOf = async (layers: LayerInput[]) => {
    const { body: design } = await shop.create({ document: documentOf(layers) })
    const { body } = await shop.service.request('POST', `/designs/${design.id}/finalize`, { token: shop.token })
    const { contentHash, files } = body.finalization
    return [contentHash, files.map(({ sha256 }: { sha256: string }) => sha256)]
  }
  const open = LAYERS.map(({ lock: _, ...layer }) => layer as LayerInput)
  assert.deepEqual(await hashOf(LAYERS), await hashOf(open))
})

test('a lock has only known members', async (t) => {
  const shop = await openTemplateShop(t)
  const refused = await shop.create({ document: documentOf([textLayer('A', { lock: { resize: true } as object })]) })
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, `${L}/0/lock/resize`])
})
