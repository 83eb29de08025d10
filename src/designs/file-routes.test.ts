import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { sharedRenderer, startService } from '../../test/harness.ts'
import { type JobOptions, RenderQueueFull } from '../rendering/index.ts'
import { documentOf, HELLO, imageLayer, makePicture, openWithDesign, requestOf, startSignedIn } from './factory.ts'
import { finalizeDesign } from './finalization/finalize-design.ts'
import { previewDesign, previewFormat } from './preview-design.ts'

test('a preview has the requested size and format', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const upload = { token, body: await makePicture('#cc0000'), headers: { 'content-type': 'image/jpeg' } }
  const { body: asset } = await service.request('POST', '/assets', upload)
  const { body } = await create({ document: documentOf([imageLayer(asset.id)]) })
  const see = (query: string, headers: Record<string, string> = {}) =>
    service.request('GET', `/designs/${body.id}/preview${query}`, { token, headers })
  const webp = await see('?width=340')
  assert.deepEqual([webp.status, webp.headers.get('content-type')], [200, 'image/webp'])
  assert.equal(webp.headers.get('vary'), 'Accept, Origin')
  const { width, height } = await loadImage(webp.body)
  assert.deepEqual([width, height], [340, 220])
  const png = await see('?printAreaId=front&width=340', { accept: 'image/png, image/webp;q=0.5' })
  assert.equal(png.headers.get('content-type'), 'image/png')
  // The middle of the image, which covers 40 to 60 mm by 20 to 40 mm, and a corner of the card.
  const context = createCanvas(width, height).getContext('2d')
  context.drawImage(await loadImage(png.body), 0, 0)
  const [red = 0, green = 255] = context.getImageData(200, 120, 1, 1).data
  assert.ok(red > 180 && green < 40)
  assert.deepEqual([...context.getImageData(5, 5, 1, 1).data], [255, 255, 255, 255])
  const again = await see('?width=340', { 'if-none-match': webp.headers.get('etag') ?? '' })
  assert.equal(again.status, 304)
  assert.equal((await see('?width=340', { accept: 'text/html' })).status, 406)
  assert.equal((await see('?width=15')).status, 400)
  const unknown = await see('?printAreaId=sleeve')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'print_area_not_found'])
})

test('files and receipt of a finalized design can be downloaded; a draft has none', async (t) => {
  const { service, token, create, product } = await startSignedIn(t)
  const { body } = await create({ document: HELLO, name: 'Grüße' })
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.request('GET', `/designs/${body.id}${path}`, { token, headers })
  const early = await get('/receipt')
  assert.deepEqual([early.status, early.body.code], [409, 'design_not_finalized'])
  assert.equal((await get('/files/print')).body.code, 'file_not_found')
  const { finalization } = (await service.request('POST', `/designs/${body.id}/finalize`, { token })).body
  const [print] = finalization.files
  const title = `Grüße, ${product.name}, ${finalization.finalizedAt.slice(0, 10)}.pdf`
  const file = await get('/files/print')
  assert.equal(file.body.subarray(0, 5).toString(), '%PDF-')
  const expected = {
    'content-type': 'application/pdf',
    'content-length': String(print.bytes),
    'content-disposition': `attachment; filename="${body.id}-print.pdf"; filename*=UTF-8''${encodeURIComponent(title)}`,
    etag: `"${print.sha256}"`,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(file.headers.get(name), value, name)
  assert.equal((await get('/files/print', { 'if-none-match': `"${print.sha256}"` })).status, 304)
  assert.equal((await get('/files/preview-front')).headers.get('content-type'), 'image/webp')
  assert.equal((await get('/files/preview-side')).body.code, 'file_not_found')
  const receipt = await get('/receipt')
  assert.deepEqual([receipt.headers.get('content-type'), receipt.text], ['application/jose', finalization.receipt])
})

test('the renderer gets the owner of a design, and a signal that aborts when the client of a preview disconnects', async (t) => {
  const { deps, design, db } = await openWithDesign(t)
  const asked: (JobOptions | undefined)[] = []
  const { print, preview } = deps.renderer
  const renderer: typeof deps.renderer = {
    ...deps.renderer,
    print: (job, outDir, options) => {
      asked.push(options)
      return print(job, outDir, options)
    },
    preview: (job, options) => {
      asked.push(options)
      return preview(job, options)
    },
  }
  const options = { printAreaId: undefined, widthPx: 16, format: 'webp' } as const
  const client = new AbortController()
  const { signal } = client
  const { draw } = await previewDesign(db, { ...deps, renderer, signal }, design, options)
  client.abort()
  await assert.rejects(draw(signal), { code: 'renderer_busy' })
  await finalizeDesign({ ...deps, renderer }, requestOf(design))
  assert.deepEqual(
    asked.map((options) => [options?.owner, options?.signal]),
    [
      [design.ownerId, signal],
      [design.ownerId, undefined],
    ],
  )
})

test('a preview of a caller whose queue is full is refused before its design is read', async (t) => {
  const asked: string[] = []
  const requireRoom = async (owner: string) => {
    asked.push(owner)
    throw new RenderQueueFull()
  }
  const overrides = { renderer: { ...sharedRenderer(), requireRoom } }
  const { service, token, userId } = await startSignedIn(t, { overrides })
  const { status, body, headers } = await service.request('GET', '/designs/unknown/preview', { token })
  assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'renderer_busy', '5'])
  assert.deepEqual(asked, [userId])
})

test('a disconnected client’s preview leaves the queue', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  const { renderer } = service.services
  const { preview } = renderer
  const [entered, dropped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  renderer.preview = async (job, options) => {
    const { signal } = options ?? {}
    if (signal === undefined) entered.reject(new Error('the renderer is not told'))
    entered.resolve()
    if (signal !== undefined) await once(signal, 'abort')
    dropped.resolve()
    return preview(job, options)
  }
  const client = new AbortController()
  const headers = { authorization: `Bearer ${token}` }
  const asking = fetch(`${service.baseUrl}/designs/${body.id}/preview`, { headers, signal: client.signal })
  await entered.promise
  client.abort()
  await assert.rejects(asking)
  await dropped.promise
})

test('the list of fonts is public', async (t) => {
  const service = await startService(t)
  const { status, body } = await service.request('GET', '/fonts')
  assert.equal(status, 200)
  const inter = body.data.find(({ family }: { family: string }) => family === 'Inter')
  assert.ok(inter.scripts.includes('Latn'))
  assert.ok(
    inter.styles.some(({ weight, style }: { weight: number; style: string }) => weight === 700 && style === 'normal'),
  )
})

test('the format of a preview is the one that the client prefers, and WebP by default', () => {
  const cases: [accept: string | undefined, format: string][] = [
    [undefined, 'webp'],
    ['*/*', 'webp'],
    ['image/*', 'webp'],
    ['image/avif,image/webp,image/apng,image/*,*/*;q=0.8', 'webp'],
    ['image/png', 'png'],
    ['IMAGE/PNG', 'png'],
    ['image/png;q=0.2, image/*;q=0.1', 'png'],
    ['image/webp;q=0, */*', 'png'],
    ['image/webp;q=nonsense, image/png;q=0.1', 'png'],
  ]
  for (const [accept, format] of cases) assert.equal(previewFormat(accept), format, String(accept))
  // Reading thousands of ranges would take as long as hundreds of requests.
  for (const accept of ['', 'text/html', 'image/webp;q=0', `${','.repeat(1_000)}image/png`]) {
    assert.throws(() => previewFormat(accept), { code: 'not_acceptable' })
  }
})
