import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentHash } from './content-hash.ts'
import { fullBleed, POSTCARD, postcard, text } from './factory.ts'
import { loadFonts } from './installed-fonts/fonts.ts'

const fonts = loadFonts().book
const PHOTO = 'a1'.repeat(32)

const DESIGN = { assetId: 'a', areaId: 'front', sha256: PHOTO, bleedMm: 3, words: 'Hello', y: 10, profile: '' }

function hashOf(changes: Partial<typeof DESIGN> = {}) {
  const { assetId, areaId, sha256, bleedMm, words, y, profile } = { ...DESIGN, ...changes }
  const { document } = postcard({ [areaId]: [fullBleed(assetId), text(words, { y })] })
  const printAreas = POSTCARD.map((area) =>
    area.id === 'front' ? { ...area, id: areaId, name: areaId, bleedMm } : area,
  )
  const output = profile === '' ? {} : { outputProfile: { sha256: profile } }
  return contentHash({ document, printAreas, assets: new Map([[assetId, { sha256 }]]), fonts, ...output })
}

test('a content hash does not depend on installation, ids or names', () => {
  assert.match(hashOf(), /^[0-9a-f]{64}$/)
  assert.equal(hashOf({ assetId: 'ast_other', areaId: 'vorne' }), hashOf())
})

test('a content hash changes with the image, the geometry, the text and the output profile', () => {
  const hashes = [
    hashOf(),
    hashOf({ sha256: 'b2'.repeat(32) }),
    hashOf({ bleedMm: 4 }),
    hashOf({ words: 'Hallo' }),
    hashOf({ y: 11 }),
    hashOf({ profile: PHOTO }),
    hashOf({ profile: 'b2'.repeat(32) }),
  ]
  assert.equal(new Set(hashes).size, hashes.length)
})
