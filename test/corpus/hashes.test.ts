import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CorpusHashes, unannouncedChanges } from './hashes.ts'

const before: CorpusHashes = {
  rendererVersion: 2,
  drawingVersion: 2,
  platform: 'linux-x64',
  designs: { card: { source: '01', print: 'aa', previews: ['bb'] } },
}
const changed = { ...before, designs: { card: { source: '01', print: 'cc', previews: ['bb'] } } }

test('changed bytes of a file are rejected if the versions of renderer and drawing are unchanged', () => {
  assert.deepEqual(unannouncedChanges(before, changed), ['card'])
  assert.deepEqual(
    unannouncedChanges(before, { ...before, designs: { card: { source: '01', print: 'aa', previews: ['dd'] } } }),
    ['card'],
  )
  assert.deepEqual(unannouncedChanges(before, { ...changed, rendererVersion: 1 }), ['card'])
})

test('changed bytes under a newer version of the renderer or of drawing are accepted', () => {
  assert.deepEqual(unannouncedChanges(before, { ...changed, rendererVersion: 3 }), [])
  assert.deepEqual(unannouncedChanges(before, { ...changed, drawingVersion: 3 }), [])
})

test('new and changed designs are accepted, and previews of another platform are not compared', () => {
  const added = { ...before, designs: { ...before.designs, poster: { source: '02', print: 'ee', previews: [] } } }
  assert.deepEqual(unannouncedChanges(before, added), [])
  const edited = { ...before, designs: { card: { source: '03', print: 'cc', previews: ['dd'] } } }
  assert.deepEqual(unannouncedChanges(before, edited), [])
  const elsewhere = {
    ...before,
    platform: 'darwin-arm64',
    designs: { card: { source: '01', print: 'aa', previews: ['ff'] } },
  }
  assert.deepEqual(unannouncedChanges(before, elsewhere), [])
  assert.deepEqual(unannouncedChanges(before, { ...changed, platform: 'darwin-arm64' }), ['card'])
})
