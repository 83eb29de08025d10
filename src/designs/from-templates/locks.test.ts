import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LayerInput } from '../../drawing/index.ts'
import { makeFont } from '../../rendering/user-fonts/factory.ts'
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

// A font can show any letters. Under the name of an installed family, it would replace a locked text in print.
test('an uploaded font with the name of an installed one does not change locked texts', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, token } = shop
  const startLocked = async (lock: object) => (await shop.startFrom([textLayer('Logo', { id: 'logo', lock })])).design
  const designs = [await startLocked({ edit: true }), await startLocked({ style: true }), await startLocked({})]
  const tags = () =>
    Promise.all(
      designs.map(async ({ id }) => {
        const { headers } = await service.request('GET', `/designs/${id}/preview?width=100`, { token })
        return headers.get('etag')
      }),
    )
  const before = await tags()
  const headers = { 'content-type': 'font/ttf' }
  const body = await makeFont({ family: 'Inter', weight: 400 })
  const font = await service.request('POST', '/fonts', { token, body, headers })
  assert.equal(font.status, 201)
  const after = await tags()
  assert.deepEqual(
    after.map((tag, index) => tag === before[index]),
    [true, true, false],
  )
  const finalized = await service.request('POST', `/designs/${designs[0].id}/finalize`, { token })
  assert.equal(finalized.status, 200)
  // A font of a finalized design could not be deleted.
  assert.equal((await service.request('DELETE', `/fonts/${font.body.id}`, { token })).status, 204)
})

test('a template names installed fonts only, because customers could upload others', async (t) => {
  const shop = await openTemplateShop(t)
  const draft = await shop.draft([textLayer('Logo', { id: 'logo', fontFamily: 'Later' })])
  const { status, body } = await shop.publish(draft.id)
  assert.deepEqual([status, body.code], [422, 'template_invalid'])
  const [{ code, pointer, detail }] = body.errors
  assert.deepEqual([code, pointer], ['font_unknown', `${L}/0/fontFamily`])
  assert.match(detail, /"logo".*"Later"/)
})

test('a lock has only known members', async (t) => {
  const shop = await openTemplateShop(t)
  const refused = await shop.create({ document: documentOf([textLayer('A', { lock: { resize: true } as object })]) })
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, `${L}/0/lock/resize`])
})
