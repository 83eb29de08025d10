import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import sharp from 'sharp'
import { sharedRenderer, startService, type TestService } from '../../test/harness.ts'
import { RED } from '../rendering/images/factory.ts'
import { makePng, upload } from './factory.ts'

async function thumbnailOf(service: TestService, token: string, file: Buffer) {
  const { body: asset } = await upload(service, token, file)
  const answer = await service.request('GET', `/assets/${asset.id}/thumbnail`, { token })
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/webp'], answer.text.slice(0, 200))
  const { width, height } = await loadImage(answer.body)
  const context = createCanvas(width, height).getContext('2d')
  context.drawImage(await loadImage(answer.body), 0, 0)
  const pixel = (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data]
  return { asset, answer, size: [width, height], pixel }
}

function near(actual: number[], expected: number[], by = 12): void {
  for (const [index, value] of expected.entries()) {
    assert.ok(Math.abs((actual[index] ?? -1) - value) <= by, `${actual} is not near ${expected}`)
  }
}

const image = (
  width: number,
  height: number,
  background: string | { r: number; g: number; b: number; alpha: number },
  channels: 3 | 4 = 3,
) => sharp({ create: { width, height, channels, background } })

test('a thumbnail is small, upright, transparent where the image is, and in sRGB', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()

  await t.test('the longest side has 400 pixels', async () => {
    const wide = await thumbnailOf(service, token, await image(1_000, 500, '#336699').jpeg().toBuffer())
    assert.deepEqual(wide.size, [400, 200])
    near(wide.pixel(200, 100), [0x33, 0x66, 0x99])
    const thin = await thumbnailOf(service, token, await image(3, 3_000, '#336699').png().toBuffer())
    assert.deepEqual(thin.size, [1, 400])
  })

  await t.test('an editor gets a larger one, of a few sizes', async () => {
    const { body: asset } = await upload(service, token, await image(3_000, 1_500, '#336699').jpeg().toBuffer())
    const read = (size: string) => service.request('GET', `/assets/${asset.id}/thumbnail${size}`, { token })
    const [small, large] = [await read(''), await read('?size=1600')]
    assert.deepEqual([small.status, large.status], [200, 200], large.text)
    assert.notEqual(small.headers.get('etag'), large.headers.get('etag'))
    assert.equal((await loadImage(large.body)).width, 1_600)
    assert.equal((await loadImage(small.body)).width, 400)
    assert.deepEqual([(await read('?size=5000')).status, (await read('?size=401')).status], [400, 400])
  })

  await t.test('a small image keeps its size', async () => {
    const { size } = await thumbnailOf(service, token, await image(30, 20, '#123456').png().toBuffer())
    assert.deepEqual(size, [30, 20])
  })

  await t.test('the EXIF orientation is applied', async () => {
    const left = await image(400, 800, '#ff0000').png().toBuffer()
    const halves = image(800, 800, '#0000ff').composite([{ input: left, left: 0, top: 0 }])
    // Turned by 90 degrees clockwise, the left half is at the top.
    const turned = await thumbnailOf(service, token, await halves.jpeg().withMetadata({ orientation: 6 }).toBuffer())
    near(turned.pixel(200, 50), RED)
    near(turned.pixel(200, 350), [0, 0, 255])
  })

  await t.test('transparent stays transparent', async () => {
    const background = { r: 255, g: 0, b: 0, alpha: 0.5 }
    const { pixel } = await thumbnailOf(service, token, await image(500, 500, background, 4).png().toBuffer())
    near(pixel(100, 100), [255, 0, 0, 128])
  })

  await t.test('CMYK is shown in sRGB', async () => {
    const cmyk = await image(600, 600, '#cc3322').toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer()
    const { asset, pixel } = await thumbnailOf(service, token, cmyk)
    assert.equal(asset.colorSpace, 'cmyk')
    near(pixel(100, 100), [0xcc, 0x33, 0x22], 40)
  })
})

test('a client that has the thumbnail does not get it again', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { asset, answer } = await thumbnailOf(service, token, await makePng())
  assert.equal(answer.headers.get('cache-control'), 'private, max-age=86400')
  const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
  const again = await service.request('GET', `/assets/${asset.id}/thumbnail`, { token, headers })
  assert.equal(again.status, 304)
  const { accessToken: other } = await service.signUp()
  const foreign = await service.request('GET', `/assets/${asset.id}/thumbnail`, { token: other })
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'asset_not_found'])
})

test('parallel requests for one thumbnail share one drawing under its owner, and another owner gets its own', async (t) => {
  const drawn: (string | undefined)[] = []
  const renderer = sharedRenderer()
  const thumbnail: typeof renderer.thumbnail = (file, options) => {
    drawn.push(options?.owner)
    return renderer.thumbnail(file, options)
  }
  const service = await startService(t, { overrides: { renderer: { ...renderer, thumbnail } } })
  const { accessToken: token, userId } = await service.signUp()
  const { body: asset } = await upload(service, token, await makePng())
  const read = () => service.request('GET', `/assets/${asset.id}/thumbnail`, { token })
  const answers = await Promise.all([read(), read(), read()])
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal((await read()).status, 200)
  assert.deepEqual(drawn, [userId])
  const other = await service.signUp()
  const { body: equal } = await upload(service, other.accessToken, await makePng())
  await service.request('GET', `/assets/${equal.id}/thumbnail`, { token: other.accessToken })
  assert.deepEqual(drawn, [userId, other.userId])
})

test('a page with fifty thumbnails is served', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const ids: string[] = []
  for (let index = 0; index < 50; index += 1) {
    const { body } = await upload(service, token, await makePng(`#3366${(index + 16).toString(16)}`))
    ids.push(body.id)
  }
  const answers = await Promise.all(ids.map((id) => service.request('GET', `/assets/${id}/thumbnail`, { token })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
})
