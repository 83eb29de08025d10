import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rect } from '../factory.ts'
import { checkedLayers, createClipboard, readClip, writeLayers } from './clipboard.ts'

const layers = [rect('a', { name: 'Frame', group: 'g', lock: { move: true } })]

/** Reads a text as the editor of another tab does. */
async function read(text: string) {
  const clip = readClip(text)
  return clip.kind === 'unchecked' ? checkedLayers(clip.values) : clip
}

test('layers come back from their text with their notes, and without locks', async () => {
  const { lock: _, ...copy } = layers[0] as (typeof layers)[0]
  assert.deepEqual(await read(writeLayers(layers)), [copy])
})

test('layers that the service would refuse are not taken from a clipboard', async () => {
  const text = {
    id: 't',
    type: 'text',
    x: 0,
    y: 0,
    width: 10,
    height: 10,
    text: 'A',
    fontFamily: 'Inter',
    fontSizePt: 9,
  }
  const valid = writeLayers([text] as never)
  assert.equal(((await read(valid)) as object[]).length, 1)
  const faults: object[] = [
    { ...text, type: '__proto__' },
    { ...text, x: 'left' },
    { ...text, x: 1e300 },
    { ...text, x: 0.12345 },
    { ...text, width: -1 },
    { ...text, fontSizePt: 1e9 },
    { ...text, color: 'url(https://evil.example)' },
    { ...text, text: '\ud800' },
    { ...text, text: 'A'.repeat(10_001) },
    { ...text, onclick: 'alert(1)' },
    { ...rect('r'), stroke: { color: '#000000', widthMm: -1 } },
    { ...rect('r'), type: 'image', assetId: '../me' },
  ]
  for (const fault of faults) assert.equal(await read(writeLayers([fault] as never)), undefined, JSON.stringify(fault))
  assert.equal(await read(writeLayers([rect('a'), rect('a')])), undefined)
})

test('a text that only begins like layers stays a text', () => {
  for (const text of ['{"platenLayers":1,"layers":[]}', '{"platenLayers":1,', 'Hello']) {
    assert.deepEqual(readClip(text), { kind: 'text', text })
  }
})

test('without access to the clipboard of the system, layers are pasted from memory', async () => {
  const refused = () => Promise.reject(new Error('not allowed'))
  for (const system of [undefined, { readText: refused, writeText: refused }]) {
    const clipboard = createClipboard(system)
    assert.equal(await clipboard.read(), undefined)
    await clipboard.write(layers)
    assert.equal((await clipboard.read())?.kind, 'layers')
    assert.equal(clipboard.accept('an older text')?.kind, 'layers')
  }
})

test('what another program copies later is pasted instead of the layers', async () => {
  let content = ''
  const clipboard = createClipboard({
    readText: async () => content,
    writeText: async (text) => {
      content = text
    },
  })
  await clipboard.write(layers)
  assert.equal((await clipboard.read())?.kind, 'layers')
  content = 'From elsewhere'
  assert.deepEqual(await clipboard.read(), { kind: 'text', text: 'From elsewhere' })
})
