import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { button, startShop } from '../../lib/pages/shop.ts'
import { openPostcard } from '../../lib/pages/stored-layers.ts'

const COUNT = 60
const COLUMNS = 10
const STEP_MM = 14
/** The limit of the editor, and a picture that takes the place of another one. */
const MOST_PIXELS = 40_000_000 + 1600 * 1200

/** Each photo has its own colour. */
const colorOf = (i: number) => ({ r: (i % COLUMNS) * 25, g: Math.floor(i / COLUMNS) * 40, b: 120 })

const isColorOf = (color: readonly number[], i: number): boolean => {
  const { r, g, b } = colorOf(i)
  return [r, g, b].every((value, channel) => Math.abs(value - (color[channel] ?? -99)) <= 6)
}

const placeOf = (i: number) => ({ x: 4 + (i % COLUMNS) * STEP_MM, y: 4 + Math.floor(i / COLUMNS) * STEP_MM })

/** Counts the pixels of decoded pictures. Runs in the page. */
function countPixels(): void {
  interface Bitmap {
    width: number
    height: number
    close(): void
  }
  const scope = globalThis as unknown as {
    createImageBitmap(source: object): Promise<Bitmap>
    pictures: { pixels: number; most: number }
  }
  const original = scope.createImageBitmap.bind(scope)
  const pictures = { pixels: 0, most: 0 }
  scope.pictures = pictures
  scope.createImageBitmap = async (source) => {
    const bitmap = await original(source)
    const pixels = bitmap.width * bitmap.height
    pictures.pixels += pixels
    pictures.most = Math.max(pictures.most, pictures.pixels)
    const close = bitmap.close.bind(bitmap)
    bitmap.close = () => {
      pictures.pixels -= pixels
      close()
    }
    return bitmap
  }
}

const decoded = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { pictures: { pixels: number; most: number } }).pictures)

/** Uploads photos as the customer of the page. Returns the ids of the assets. */
async function upload(page: Page, count: number): Promise<string[]> {
  const photos = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const size = { width: 1800, height: 1350, channels: 3 as const, background: colorOf(i) }
      return (await sharp({ create: size }).jpeg().toBuffer()).toString('base64')
    }),
  )
  return page.locator('platen-editor').evaluate(async (element, all) => {
    const { client } = element as unknown as { client: { assets: { upload(file: Blob): Promise<{ id: string }> } } }
    const send = async (base64: string): Promise<string> => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      return (await client.assets.upload(new File([bytes], 'photo.jpg', { type: 'image/jpeg' }))).id
    }
    const ids: string[] = []
    for (let i = 0; i < all.length; i += 5) ids.push(...(await Promise.all(all.slice(i, i + 5).map(send))))
    return ids
  }, photos)
}

/** Changes a design without the editor of the page. */
function change(page: Page, designId: string, placements: object[]): Promise<void> {
  return page.locator('platen-editor').evaluate(
    async (element, [id, json]) => {
      const { client } = element as unknown as {
        client: { designs: { change(id: string, body: object): Promise<object> } }
      }
      await client.designs.change(id, { document: { version: 1, placements: JSON.parse(json) } })
    },
    [designId, JSON.stringify(placements)] as const,
  )
}

/** The colours of the canvas in the middle of each photo. */
function paintedColors(page: Page, places: { x: number; y: number }[]): Promise<number[][]> {
  return page.locator('platen-editor').evaluate((element, points) => {
    const { shadowRoot } = element as unknown as { shadowRoot: { querySelector(selector: string): never } }
    const canvas = shadowRoot.querySelector('.pe-canvas') as unknown as {
      width: number
      clientWidth: number
      getContext(kind: '2d'): { getImageData(...box: number[]): { data: ArrayLike<number> } }
    }
    const trim = shadowRoot.querySelector('.pe-trim') as unknown as { getAttribute(name: string): string | null }
    const [, x, y, width] = /^M([\d.-]+) ([\d.-]+)v[\d.]+h([\d.]+)/.exec(trim.getAttribute('d') ?? '') ?? []
    const ratio = canvas.width / canvas.clientWidth
    const pxPerMm = Number(width) / 148
    const context = canvas.getContext('2d')
    return points.map((point) => {
      const left = (Number(x) + point.x * pxPerMm) * ratio
      const top = (Number(y) + point.y * pxPerMm) * ratio
      return Array.from(context.getImageData(Math.round(left), Math.round(top), 1, 1).data).slice(0, 3)
    })
  }, places)
}

test('a design with 60 photos shows all of them within a limit of memory', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, context } = await startShop(t)
  await context.addInitScript(countPixels)
  const page = await open(url)
  const designId = await openPostcard(page, [])
  const ids = await upload(page, COUNT)
  const layers = ids.map((assetId, i) => ({
    ...{ id: `p${i}`, type: 'image', ...placeOf(i), width: 12, height: 9, assetId },
  }))
  await change(page, designId, [{ printAreaId: 'front', layers }])
  await page.reload()
  const middles = ids.map((_, i) => ({ x: placeOf(i).x + 6, y: placeOf(i).y + 4.5 }))
  await page.locator('.pe-trim').waitFor({ state: 'attached' })
  // The service draws 60 thumbnails, which can take long on a computer with other work.
  while (!(await paintedColors(page, middles)).every(isColorOf)) await delay(50)
  // The memory allows about 19 sharp pictures of 60.
  while ((await decoded(page)).pixels < 38_000_000) await delay(50)
  const { most } = await decoded(page)
  assert.ok(most <= MOST_PIXELS, String(most))
})

test('the history shows both sides of a version with a photo that has left the design', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url } = await startShop(t)
  const page = await open(url)
  const designId = await openPostcard(page, [])
  const [assetId] = await upload(page, 1)
  const box = { x: 24, y: 2, width: 100, height: 100 }
  const photo = { id: 'photo', type: 'image', ...box, assetId }
  const shape = { id: 'shape', type: 'shape', shape: 'rect', ...box, fill: '#00ff00' }
  await change(page, designId, [
    { printAreaId: 'front', layers: [photo] },
    { printAreaId: 'back', layers: [shape] },
  ])
  await change(page, designId, [])
  await page.reload()
  await button(page, 'History').click()
  const dialog = page.getByRole('dialog', { name: 'Version history' })
  await dialog.getByRole('option').nth(1).click()
  const middleOf = (side: string) =>
    dialog.getByRole('img', { name: `Preview of the version: ${side}` }).evaluate((element) => {
      const canvas = element as unknown as {
        width: number
        height: number
        getContext(kind: '2d'): { getImageData(...box: number[]): { data: ArrayLike<number> } }
      }
      const { data } = canvas.getContext('2d').getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1)
      return Array.from(data).slice(0, 3)
    })
  while (!isColorOf(await middleOf('Front'), 0)) await delay(50)
  while (String(await middleOf('Back')) !== '0,255,0') await delay(50)
  await expectAccessible(page, 'the history')
})
