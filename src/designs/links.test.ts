import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StartOptions, TestResponse } from '../../test/harness.ts'
import { sharedRenderer } from '../../test/harness.ts'
import { HELLO, startSignedIn } from './factory.ts'

type Test = Parameters<typeof startSignedIn>[0]

async function startWithDesign(t: Test, options: StartOptions = {}) {
  const { service, token, create } = await startSignedIn(t, options)
  const { body: design } = await create({ document: HELLO })
  const link = (body: object, id = design.id): Promise<TestResponse> =>
    service.request('POST', `/designs/${id}/links`, { token, body })
  const follow = (url: string, headers: Record<string, string> = {}): Promise<TestResponse> => {
    const { pathname, search } = new URL(url)
    return service.request('GET', `${service.origin}${pathname}${search}`, { headers })
  }
  return { service, token, create, design, link, follow }
}

const refusalOf = ({ status, body }: TestResponse) => [status, body.code]

test('a link to the preview of a draft shows its present content without a credential', async (t) => {
  const { service, token, design, link, follow } = await startWithDesign(t)
  const made = await link({ file: 'preview', printAreaId: 'front', width: 340 })
  assert.equal(made.status, 201)
  const first = await follow(made.body.url)
  assert.deepEqual([first.status, first.headers.get('content-type')], [200, 'image/webp'])
  assert.equal(first.headers.get('cache-control'), 'private, max-age=60')
  assert.equal(first.headers.get('cross-origin-resource-policy'), 'cross-origin')
  const etag = first.headers.get('etag') ?? ''
  assert.equal((await follow(made.body.url, { 'if-none-match': etag })).status, 304)
  const body = { document: { version: 1, placements: [] } }
  assert.equal((await service.request('PATCH', `/designs/${design.id}`, { token, body })).status, 200)
  const second = await follow(made.body.url, { 'if-none-match': etag, accept: 'image/png' })
  assert.deepEqual([second.status, second.headers.get('content-type')], [200, 'image/png'])
  const larger = await follow(made.body.url.replace('width=340', 'width=2000'))
  assert.deepEqual(refusalOf(larger), [403, 'link_invalid'])
})

test('a link to a file of a finalized design ends when the design is archived', async (t) => {
  const { service, token, design, link, follow } = await startWithDesign(t)
  const early = await link({ file: 'print' })
  assert.deepEqual(refusalOf(early), [404, 'file_not_found'])
  assert.equal((await service.request('POST', `/designs/${design.id}/finalize`, { token })).status, 200)
  const [print, small, preview] = await Promise.all([
    link({ file: 'print' }),
    link({ file: 'preview-front' }),
    link({ file: 'preview' }),
  ])
  const file = await follow(print?.body.url)
  assert.equal(file.body.subarray(0, 5).toString(), '%PDF-')
  assert.equal((await follow(small?.body.url)).headers.get('content-type'), 'image/webp')
  const shown = await follow(preview?.body.url)
  const [, maxAge] = /^private, max-age=(\d+)$/.exec(shown.headers.get('cache-control') ?? '') ?? []
  assert.ok(Number(maxAge) > 3_500 && Number(maxAge) <= 3_600)
  assert.equal((await service.request('DELETE', `/designs/${design.id}`, { token })).status, 204)
  for (const one of [print, small, preview]) {
    assert.deepEqual(refusalOf(await follow(one?.body.url)), [403, 'link_invalid'])
  }
  assert.deepEqual(refusalOf(await link({ file: 'print' })), [409, 'design_archived'])
})

test('a link is made only to what its owner can read, with members that fit', async (t) => {
  const { service, design, link } = await startWithDesign(t)
  const { accessToken: other } = await service.signUp({ role: 'operator' })
  const body = { file: 'preview' }
  const foreign = await service.request('POST', `/designs/${design.id}/links`, { token: other, body })
  assert.deepEqual(refusalOf(foreign), [404, 'design_not_found'])
  assert.deepEqual(refusalOf(await link({ file: 'preview', printAreaId: 'sleeve' })), [404, 'print_area_not_found'])
  const unfit = await link({ file: 'print', width: 100 })
  assert.deepEqual([...refusalOf(unfit), unfit.body.pointer], [400, 'validation_failed', '/width'])
  for (const wrong of [{ width: 15 }, { width: 2_001 }, { expiresInSeconds: 86_401 }, { data: '{}' }]) {
    assert.equal((await link({ file: 'preview', ...wrong })).status, 400)
  }
})

test('linked previews are drawn for the account of the viewer, a few at a time, and each of them once', async (t) => {
  const renderer = sharedRenderer()
  const owners: (string | undefined)[] = []
  let [running, most] = [0, 0]
  const preview: typeof renderer.preview = async (job, options) => {
    owners.push(options?.owner)
    running += 1
    most = Math.max(most, running)
    return renderer.preview(job, options).finally(() => {
      running -= 1
    })
  }
  const { link, follow } = await startWithDesign(t, { overrides: { renderer: { ...renderer, preview } } })
  const widths = Array.from({ length: 50 }, (_, index) => 100 + index)
  const urls = await Promise.all(widths.map(async (width) => (await link({ file: 'preview', width })).body.url))
  const answers = await Promise.all([...urls, ...urls].map((url) => follow(url)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal((await follow(urls[0])).status, 200)
  assert.deepEqual(
    owners,
    Array.from({ length: 50 }, () => '127.0.0.1'),
  )
  assert.ok(most <= 4)
})
