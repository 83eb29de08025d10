import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { addPrograms, makeComposite, makeFont, replaceGlyphs, squareCff, tableOf, writeFont } from './factory.ts'
import { inspectFont } from './inspect-font.ts'
import { readTables } from './sfnt/tables.ts'

type Tables = Map<string, Uint8Array>

async function keptOf(t: TestContext, bytes: Uint8Array): Promise<Buffer> {
  const file = await writeFont(t, bytes)
  await inspectFont(file)
  return readFile(file.unpackedPath)
}

/** Adds composite glyphs to a font. Some of them contain other composite glyphs. */
const withComposites = (tables: Tables) =>
  makeComposite(
    tables,
    new Map([
      [471, [10, 11]],
      [472, [471]],
    ]),
  )

test('a font gives equal bytes with and without hints', async (t) => {
  const plain = await keptOf(t, await makeFont({ edit: withComposites }))
  const hinted = await makeFont({
    edit: (tables) => {
      withComposites(tables)
      addPrograms(tables, new Uint8Array(32).fill(0x4f))
    },
  })
  assert.ok(hinted.length > plain.length + 10_000)
  // `assert.deepEqual` would take minutes to describe a difference between large buffers.
  assert.ok(plain.equals(await keptOf(t, hinted)))
})

test('glyphs without contours keep their header only, because print files contain them whole', async (t) => {
  const junk = 40_000
  const bytes = await makeFont({
    edit: (tables) => replaceGlyphs(tables, new Map([[472, Buffer.alloc(12 + junk)]])),
  })
  const kept = await keptOf(t, bytes)
  assert.ok(bytes.length > junk && kept.length < bytes.length - junk)
})

test('only tables that shaping, drawing and embedding read are stored, and "post" without glyph names', async (t) => {
  const edit = (tables: Tables) => {
    for (const tag of [
      'BASE',
      'VORG',
      'vhea',
      'vmtx',
      'kern',
      'fpgm',
      'prep',
      'cvt ',
      'gasp',
      'hdmx',
      'CFF2',
      'COLR',
    ]) {
      tables.set(tag, Buffer.from('not read'))
    }
    const named = Buffer.alloc(34 + tableOf(tables, 'maxp').getUint16(4) * 2)
    named.writeUInt32BE(0x00020000, 0)
    named.writeUInt16BE(tableOf(tables, 'maxp').getUint16(4), 32)
    tables.set('post', named)
  }
  const tables = readTables(await keptOf(t, await makeFont({ edit })))
  const layout = ['GDEF', 'GPOS', 'GSUB', 'OS/2']
  assert.deepEqual(
    [...tables.keys()],
    [...layout, ...['cmap', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'name', 'post']],
  )
  assert.deepEqual(
    [tables.get('post')?.length, Buffer.from(tables.get('post') ?? []).readUInt32BE(0)],
    [32, 0x00030000],
  )
})

// No check has read the outlines of the other kind, and programs differ in which kind they draw.
test('in a font with both kinds of outlines, only the checked ones are stored', async (t) => {
  const edit = (tables: Tables) => tables.set('CFF ', squareCff(tableOf(tables, 'maxp').getUint16(4)))
  const tables = readTables(await keptOf(t, await makeFont({ edit })))
  assert.deepEqual([tables.has('CFF '), tables.has('glyf'), tables.has('loca')], [true, false, false])
})

test('letters look the same with and without the removed tables', async (t) => {
  const hinted = await makeFont({ edit: (tables) => addPrograms(tables, new Uint8Array(8).fill(0x4f)) })
  const kept = await keptOf(t, hinted)
  const draw = (bytes: Uint8Array, alias: string) => {
    const key = GlobalFonts.register(Buffer.from(bytes), alias)
    assert.ok(key !== null)
    const canvas = createCanvas(400, 200)
    const context = canvas.getContext('2d')
    for (const [line, size] of [7, 9.5, 12, 17, 40].entries()) {
      context.font = `${size}px "${alias}"`
      context.fillText('Hamburgefonts AVATo ffi', 3.3, 20.2 + line * 30)
    }
    GlobalFonts.remove(key)
    return canvas.data()
  }
  assert.ok(draw(kept, 'kept').equals(draw(hinted, 'hinted')))
})
