import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset, Platen } from '@platen/client'
import { createPageImages } from './page-images.ts'

const MOST_PIXELS = 10_000_000

const photo = (i: number): Asset => ({ id: `ast_${i}`, widthPx: 4000, heightPx: 3000 }) as Asset
const photos = (from: number, to: number): Asset[] => Array.from({ length: to - from }, (_, i) => photo(from + i))

/** A bitmap of the size that a thumbnail with this longest side has. */
function openImages({ isFailing = (_: string) => false } = {}) {
  const open = new Set<ImageBitmap>()
  const pixels = () => [...open].reduce((sum, { width, height }) => sum + width * height, 0)
  let most = 0
  const decode = async (picture: Blob): Promise<ImageBitmap> => {
    const size = Number(await picture.text())
    const bitmap = { width: size, height: (size * 3) / 4, close: () => open.delete(bitmap) } as unknown as ImageBitmap
    open.add(bitmap)
    most = Math.max(most, pixels())
    return bitmap
  }
  const getThumbnail = async (id: string, { size }: { size: number }) => {
    if (isFailing(id)) throw new Error('connection failed')
    return new Response(String(size))
  }
  const client = { assets: { getThumbnail } } as unknown as Pick<Platen, 'assets'>
  const images = createPageImages(client, { mostPixels: MOST_PIXELS, decode })
  const widths = (assets: readonly Asset[]) => assets.map(({ id }) => sourceOf(id)?.width)
  const sourceOf = (id: string) => images.current().get(id)?.source as ImageBitmap | undefined
  const settled = async () => {
    for (let quiet = 0, seen = images.current(); quiet < 20; quiet = seen === images.current() ? quiet + 1 : 0) {
      seen = images.current()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { images, pixels, open, settled, widths, sourceOf, mostPixels: () => most }
}

test('a side with 60 photos has all of them, and as many sharp ones as the memory allows', async () => {
  const { images, settled, widths, pixels, open, sourceOf, mostPixels } = openImages()
  const shown = photos(0, 60)
  images.show({}, shown)
  await settled()
  // 60 small pictures have 7.2 million pixels, and a sharp one 1.8 million more.
  assert.deepEqual(widths(shown), [1600, ...Array(59).fill(400)])
  assert.ok(shown.every(({ id }) => open.has(sourceOf(id) as ImageBitmap)))
  assert.equal(open.size, 60)
  assert.ok(pixels() <= MOST_PIXELS)
  // While a sharp picture takes the place of a small one, both are there.
  assert.ok(mostPixels() <= MOST_PIXELS + 1600 * 1200)
})

test('pictures that no view shows are freed when others need their memory, the oldest ones first', async () => {
  const { images, settled, widths, open, sourceOf } = openImages()
  const [view, other] = [{}, {}]
  images.show(other, photos(0, 1))
  images.show(view, photos(1, 3))
  await settled()
  images.show(view, photos(3, 5))
  await settled()
  assert.deepEqual(widths(photos(0, 5)), [1600, 1600, 1600, 1600, 1600])
  images.show(view, photos(2, 3))
  images.show(view, photos(5, 7))
  await settled()
  assert.deepEqual(widths(photos(0, 7)), [1600, undefined, 1600, undefined, 1600, 1600, 1600])
  assert.ok([...images.current().keys()].every((id) => open.has(sourceOf(id) as ImageBitmap)))
  images.dispose()
  assert.equal(open.size, 0)
})

test('a picture becomes small when more are shown than there is memory for', async () => {
  const { images, settled, widths, pixels } = openImages()
  const view = {}
  images.show(view, photos(0, 5))
  await settled()
  assert.deepEqual(widths(photos(0, 5)), Array(5).fill(1600))
  images.show(view, photos(0, 60))
  await settled()
  assert.deepEqual(widths(photos(0, 60)), [1600, ...Array(59).fill(400)])
  assert.ok(pixels() <= MOST_PIXELS)
})

test('a picture that cannot be loaded does not keep others away, and is not tried again after the end', async (t) => {
  const started = t.mock.method(globalThis, 'setTimeout')
  const ended = t.mock.method(globalThis, 'clearTimeout')
  const { images, settled, widths } = openImages({ isFailing: (id) => id === 'ast_0' })
  images.show({}, photos(0, 3))
  await settled()
  assert.deepEqual(widths(photos(0, 3)), [undefined, 1600, 1600])
  const timers = started.mock.calls.map(({ result }) => result)
  assert.equal(timers.length, 1)
  images.dispose()
  assert.deepEqual(
    ended.mock.calls.map(({ arguments: [timer] }) => timer),
    timers,
  )
})
