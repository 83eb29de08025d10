import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postcard, startRenderer } from '../factory.ts'
import { scratch } from '../images/factory.ts'
import { openImage } from '../images/open-image.ts'

test('a preview of a round print area shows the area inside the cut on white, without the cut path', async (t) => {
  const background = {
    id: 'bg',
    type: 'shape',
    shape: 'rect',
    x: -3,
    y: -3,
    width: 111,
    height: 154,
    fill: '#204060',
  } as const
  const job = postcard({ front: [background] })
  const printAreas = job.printAreas.map((area) => ({ ...area, shape: 'ellipse', cutPath: 'spot' }) as const)
  const renderer = startRenderer(t)
  const { put } = scratch(t)
  for (const format of ['png', 'webp'] as const) {
    const picture = await renderer.preview({ ...job, printAreas, printAreaId: 'front', widthPx: 105, format })
    const { data, info } = await openImage(put(picture)).raw().toBuffer({ resolveWithObject: true })
    assert.equal(info.channels, 3, 'opaque')
    const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)]
    const near = (pixel: number[], color: number[]) =>
      pixel.every((channel, i) => Math.abs(channel - (color[i] ?? 0)) < 12)
    for (const [x, y] of [
      [0, 0],
      [104, 0],
      [104, 147],
      [10, 10],
    ] as const) {
      assert.ok(near(at(x, y), [255, 255, 255]), `${format} ${x}, ${y}: ${at(x, y)}`)
    }
    // These points are the centre and points just inside the cut on the long and the short axis.
    for (const [x, y] of [
      [52, 2],
      [2, 74],
      [52, 145],
      [52, 74],
    ] as const) {
      assert.ok(near(at(x, y), [0x20, 0x40, 0x60]), `${format} ${x}, ${y}: ${at(x, y)}`)
    }
  }
})
