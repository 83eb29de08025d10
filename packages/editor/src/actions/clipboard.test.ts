import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rect } from '../factory.ts'
import { createClipboard, readClip, writeLayers } from './clipboard.ts'

const layers = [rect('a', { name: 'Frame', group: 'g', lock: { move: true } })]

test('layers come back from their text with their notes, and without locks', () => {
  const clip = readClip(writeLayers(layers))
  assert.ok(clip.kind === 'layers')
  const { lock: _, ...copy } = layers[0] as (typeof layers)[0]
  assert.deepEqual(clip.layers, [copy])
})

test('a text that only looks like layers stays a text', () => {
  for (const text of [
    '{"platenLayers":1,"layers":[{"type":"text","id":"a","x":"left"}]}',
    '{"platenLayers":1,"layers":[{"type":"__proto__","id":"a","x":1,"y":1,"width":1,"height":1}]}',
    '{"platenLayers":1,"layers":[]}',
    '{"platenLayers":1,',
    'Hello',
  ]) {
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
