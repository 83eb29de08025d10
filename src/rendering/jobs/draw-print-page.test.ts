import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { RenderFailed } from '../errors.ts'
import { type LayerInput, postcard, startRenderer } from '../factory.ts'
import { scratch } from '../images/factory.ts'

const { dir } = scratch({ after })

const filled = (fill: string): LayerInput => ({
  ...{ id: 'all', type: 'shape', shape: 'rect', x: -3, y: -3, width: 154, height: 154 },
  fill,
})

async function decode(picture: Uint8Array) {
  const image = await loadImage(Buffer.from(picture))
  const { width, height } = image
  const context = createCanvas(width, height).getContext('2d')
  context.drawImage(image, 0, 0)
  return { width, height, at: (x: number, y: number) => [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)] }
}

test('a page of a print file is drawn from the file itself, with its bleed', async (t) => {
  const renderer = startRenderer(t)
  const job = postcard({ front: [filled('#ff0000')], back: [filled('#0000ff')] })
  const [print] = await renderer.print(job, mkdtempSync(join(dir, 'print')))
  assert.ok(print !== undefined)
  const { path, sha256 } = print
  const colors = []
  for (const page of [1, 2]) {
    const picture = await renderer.printPage({ path, sha256, page, widthPx: 111 })
    assert.ok(picture !== undefined)
    const { width, height, at } = await decode(picture)
    assert.deepEqual([width, height], [111, 154])
    colors.push(at(0, 0).map((value) => Math.round(value / 51)))
  }
  assert.deepEqual(colors, [
    [5, 0, 0],
    [0, 0, 5],
  ])
  assert.equal(await renderer.printPage({ path, sha256, page: 3, widthPx: 111 }), undefined)
})

test('a damaged file is not drawn', async (t) => {
  const renderer = startRenderer(t)
  const path = join(dir, 'damaged.pdf')
  writeFileSync(path, '%PDF-1.6 damaged')
  const job = { path, sha256: '0'.repeat(64), page: 1, widthPx: 100 }
  await assert.rejects(renderer.printPage(job), RenderFailed)
  const sha256 = hash('sha256', '%PDF-1.6 damaged')
  await assert.rejects(renderer.printPage({ ...job, sha256 }), RenderFailed)
})
