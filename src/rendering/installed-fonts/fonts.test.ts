import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs, { globSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inflateSync } from 'node:zlib'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { loadFonts } from './fonts.ts'

test('lists families with their styles and scripts, Inter first', () => {
  const { families } = loadFonts().book
  assert.equal(families[0]?.family, 'Inter')
  assert.equal(families[0]?.styles.length, 18)
  const scripts = Object.fromEntries(families.map((family) => [family.family, family.scripts.toSorted().join(' ')]))
  assert.deepEqual(scripts, {
    Inter: 'Cyrl Grek Latn',
    'Noto Sans Arabic': 'Arab Latn',
    'Noto Sans Hebrew': 'Hebr Latn',
    'Noto Sans Devanagari': 'Deva Latn',
    'Noto Sans JP': 'Hani Hira Jpan Kana Latn',
    'Noto Sans': 'Cyrl Deva Grek Latn',
    'Noto Serif': 'Cyrl Grek Latn',
    Roboto: 'Cyrl Grek Latn',
    Montserrat: 'Cyrl Latn',
    Lora: 'Cyrl Latn',
    'Playfair Display': 'Cyrl Latn',
    'JetBrains Mono': 'Cyrl Grek Latn',
    Oswald: 'Cyrl Latn',
    'Bebas Neue': 'Latn',
    Caveat: 'Cyrl Latn',
    Pacifico: 'Cyrl Latn',
  })
})

/** A letter of each script that a family may list. */
const LETTERS: Readonly<Record<string, string>> = {
  Arab: 'ش',
  Cyrl: 'Ж',
  Deva: 'क्ष',
  Grek: 'Ω',
  Hani: '漢',
  Hebr: 'ש',
  Hira: 'ひ',
  Jpan: 'ー',
  Kana: 'カ',
  Latn: 'é',
}

test('every family has the characters of its scripts, in each of its weights and styles', () => {
  const { book } = loadFonts()
  for (const { family, styles, scripts } of book.families) {
    for (const { weight, style } of styles) {
      const faces = book.facesFor({ family, weight, style }).filter((face) => face.family === family)
      for (const script of scripts) {
        const letter = LETTERS[script] ?? ''
        const face = faces.find((candidate) => Array.from(letter).every((c) => candidate.covers(c.codePointAt(0) ?? 0)))
        assert.ok(face !== undefined, `${family} ${weight} ${style} has no ${letter}`)
        const direction = ['Arab', 'Hebr'].includes(script) ? 'rtl' : 'ltr'
        assert.ok(book.shape({ face, text: letter, direction, spaced: false }).width > 0)
      }
    }
  }
})

// `fsType` of the table OS/2 must be 0, which means installable embedding without restrictions.
test('every installed font file permits embedding, and is italic if it is listed as italic', () => {
  for (const [file, style] of filesOfPackages()) {
    const os2 = tableOf(file, 'OS/2')
    assert.equal(os2.getUint16(8), 0, `${file} may not be embedded`)
    assert.equal((os2.getUint16(62) & 1) === 1, style === 'italic', file)
  }
})

function filesOfPackages(): [path: string, style: string][] {
  const root = new URL('../../../node_modules/@fontsource/', import.meta.url)
  return globSync('*/files/*.woff', { cwd: root })
    .filter((path) => !/-\d+-\d+-\w+\.woff$/.test(path))
    .map((path) => [fileURLToPath(new URL(path, root)), path.endsWith('-italic.woff') ? 'italic' : 'normal'])
}

function tableOf(path: string, tag: string): DataView {
  const woff = readFileSync(path)
  for (let entry = 44; entry < 44 + woff.readUInt16BE(12) * 20; entry += 20) {
    if (woff.toString('latin1', entry, entry + 4) !== tag) continue
    const [offset, packed, length] = [4, 8, 12].map((at) => woff.readUInt32BE(entry + at)) as [number, number, number]
    const bytes = woff.subarray(offset, offset + packed)
    const table = packed < length ? inflateSync(bytes) : bytes
    return new DataView(table.buffer, table.byteOffset, table.length)
  }
  throw new Error(`${path} has no table ${tag}`)
}

test('Skia registers a file of every family under its alias', () => {
  const { book, fileOf } = loadFonts()
  for (const { family } of book.families) {
    const [face] = book.facesFor({ family, weight: 700, style: 'normal' })
    assert.ok(face !== undefined && GlobalFonts.register(Buffer.from(fileOf(face)), face.alias) !== null, family)
  }
})

test('opening the fonts reads no font file', (t) => {
  const { mock } = t.mock.method(fs, 'readFileSync')
  syncBuiltinESMExports()
  t.after(() => {
    mock.restore()
    syncBuiltinESMExports()
  })
  loadFonts()
  assert.ok(mock.calls.length > 0)
  assert.ok(mock.calls.every((call) => String(call.arguments[0]).endsWith('.json')))
})

test('characters of a script that a family lacks come from the family for that script', () => {
  const { book } = loadFonts()
  const fallback = (family: string, character: string) =>
    book.facesFor({ family, weight: 400, style: 'normal' }).find((face) => face.covers(character.codePointAt(0) ?? 0))
      ?.family
  for (const family of ['Inter', 'Lora', 'Pacifico', 'JetBrains Mono']) {
    assert.equal(fallback(family, 'ش'), 'Noto Sans Arabic')
    assert.equal(fallback(family, 'ש'), 'Noto Sans Hebrew')
    assert.equal(fallback(family, 'क'), 'Noto Sans Devanagari')
    assert.equal(fallback(family, '漢'), 'Noto Sans JP')
  }
  assert.equal(fallback('Playfair Display', 'Ψ'), 'Noto Serif')
  assert.equal(fallback('Montserrat', 'Ψ'), 'Inter')
  assert.equal(fallback('Caveat', 'Ψ'), 'Inter')
})

test('an unknown family has no faces', () => {
  assert.deepEqual(loadFonts().book.facesFor({ family: 'Comic Neue', weight: 400, style: 'normal' }), [])
})

test('faces have the bytes of their hash, and Skia accepts them under their alias', () => {
  const { book, fileOf } = loadFonts()
  const [face] = book.facesFor({ family: 'Inter', weight: 430, style: 'italic' })
  assert.ok(face)
  const bytes = fileOf(face)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), face.sha256)
  assert.notEqual(GlobalFonts.register(Buffer.from(bytes), face.alias), null)
  assert.ok(GlobalFonts.has(face.alias))
  const ctx = createCanvas(1, 1).getContext('2d')
  ctx.font = `100px "${face.alias}"`
  const { width } = book.shape({ face, text: 'Italic', direction: 'ltr', spaced: false })
  assert.ok(Math.abs(ctx.measureText('Italic').width - width * 100) < 0.01)
})

test('a family without italics supplies its upright style', () => {
  const [face] = loadFonts().book.facesFor({ family: 'Noto Sans Arabic', weight: 700, style: 'italic' })
  assert.equal(face?.family, 'Noto Sans Arabic')
})
