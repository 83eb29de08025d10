import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type FontRefusal, Refused } from '../../errors.ts'
import { cmapOf, makeComposite, makeFont, nameTable, squareCff, tableOf, writeFont } from '../factory.ts'
import { inspectFont } from '../inspect-font.ts'

type Tables = Map<string, Uint8Array>
type Edit = (tables: Tables) => void

async function outcomeOf(t: TestContext, edit: Edit): Promise<{ code: FontRefusal | 'accepted'; detail: string }> {
  const file = await writeFont(t, await makeFont({ edit }))
  return inspectFont(file).then(
    () => ({ code: 'accepted', detail: '' }),
    (error: unknown) => {
      if (error instanceof Refused) return { code: error.code, detail: error.detail }
      throw error
    },
  )
}

const resize = (tag: string, change: number): Edit => {
  return (tables) => {
    const table = Buffer.from(tables.get(tag) ?? [])
    tables.set(tag, Buffer.concat([table, Buffer.alloc(Math.max(0, change))]).subarray(0, table.length + change))
  }
}
const write16 = (tag: string, at: number, value: number): Edit => {
  return (tables) => tableOf(tables, tag).setUint16(at, value)
}
const write32 = (tag: string, at: number, value: number): Edit => {
  return (tables) => tableOf(tables, tag).setUint32(at, value)
}
const both = (...edits: Edit[]): Edit => {
  return (tables) => {
    for (const edit of edits) edit(tables)
  }
}
const glyphsOf = (tables: Tables) => tableOf(tables, 'maxp').getUint16(4)

/** Writes a table "cmap" with the given groups (format 12). */
function groups(
  list: readonly (readonly [first: number, last: number, glyph: number])[],
  counted = list.length,
): Buffer {
  const table = cmapOf(
    0,
    list.map(([first, last]) => [first, last] as const),
  )
  table.writeUInt16BE(12, 12)
  table.writeUInt32BE(counted, 24)
  for (const [i, [, , glyph]] of list.entries()) table.writeUInt32BE(glyph, 28 + i * 12 + 8)
  return table
}

/** Writes a table "post" of version 2 that gives every glyph the same name. */
function namingPost(names: number, index: number): Buffer {
  const table = Buffer.alloc(34 + names * 2)
  table.writeUInt32BE(0x00020000, 0)
  table.writeUInt16BE(names, 32)
  for (let i = 0; i < names; i++) table.writeUInt16BE(index, 34 + i * 2)
  return table
}

/** The position of the first subtable of "cmap". */
const SUBTABLE = 8

const CONTRADICTIONS: [what: string, table: string, edit: Edit][] = [
  ['has fewer widths than "hhea" and "maxp" count', 'hmtx', resize('hmtx', -2)],
  ['has more widths than "hhea" and "maxp" count', 'hmtx', resize('hmtx', 4000)],
  ['counts more widths than there are glyphs', 'hhea', write16('hhea', 34, 0xffff)],
  ['is truncated', 'hhea', both(resize('hhea', -2))],
  ['has the size of a font without outlines', 'maxp', resize('maxp', -26)],
  ['is truncated', 'OS/2', resize('OS/2', -40)],
  ['places fewer glyphs than "maxp" counts', 'loca', resize('loca', -4)],
  ['places more glyphs than "maxp" counts', 'loca', resize('loca', 4000)],
  ['has an unknown format', 'head', write16('head', 50, 7)],
  ['ends before the last glyph', 'glyf', resize('glyf', -40)],
  ['has a glyph whose points lie behind its end', 'glyf', write16('glyf', 0, 0x7fff)],
  [
    'has a composite of glyphs that do not exist',
    'glyf',
    (tables) => makeComposite(tables, new Map([[300, [65_000]]])),
  ],
  [
    'names other glyphs than "maxp" counts',
    'post',
    (tables) => tables.set('post', namingPost(glyphsOf(tables) - 1, 0)),
  ],
  ['refers to names it does not have', 'post', (tables) => tables.set('post', namingPost(glyphsOf(tables), 300))],
  ['has a name outside of the table', 'name', (tables) => tables.set('name', nameTable([[1, 'Mine']]).subarray(0, -2))],
  ['has a subtable outside of the table', 'cmap', write32('cmap', SUBTABLE, 0x00ff_ffff)],
  ['counts more groups than it has', 'cmap', (tables) => tables.set('cmap', groups([[0x41, 0x5a, 5]], 0x0fff_ffff))],
  ['has a group for more glyphs than there are', 'cmap', (tables) => tables.set('cmap', groups([[0x41, 0xffff, 5]]))],
  [
    'has groups that overlap',
    'cmap',
    (tables) =>
      tables.set(
        'cmap',
        groups([
          [0x41, 0x5a, 5],
          [0x50, 0x60, 5],
        ]),
      ),
  ],
  ['has a group beyond the last code point', 'cmap', (tables) => tables.set('cmap', groups([[0x110000, 0x110001, 5]]))],
  ['has classes outside of the table', 'GDEF', write16('GDEF', 4, 0xfff0)],
  ['has its lookups outside of the table', 'GSUB', write16('GSUB', 8, 0xfff0)],
  ['has its features outside of the table', 'GSUB', write16('GSUB', 6, 0xfff0)],
  ['has its lookups outside of the table', 'GPOS', write16('GPOS', 8, 0xfff0)],
  ['is cut in half', 'GPOS', (tables) => tables.set('GPOS', (tables.get('GPOS') ?? new Uint8Array()).subarray(0, 40))],
]
for (const [what, table, edit] of CONTRADICTIONS) {
  test(`rejects a font whose table "${table}" ${what}, and names the table`, async (t) => {
    const { code, detail } = await outcomeOf(t, edit)
    assert.equal(code, 'font_unreadable')
    assert.ok(detail.includes(`"${table}"`), detail)
  })
}

const asCff = (change: (cff: Buffer, tables: Tables) => Buffer = (cff) => cff): Edit => {
  return (tables) => {
    for (const tag of ['glyf', 'loca', 'GSUB', 'GPOS', 'GDEF']) tables.delete(tag)
    tables.set('CFF ', change(squareCff(glyphsOf(tables)), tables))
  }
}

test('a font with PostScript outlines is accepted', async (t) => {
  assert.deepEqual(await outcomeOf(t, asCff()), { code: 'accepted', detail: '' })
})

const CFF_CONTRADICTIONS: [what: string, change: (cff: Buffer, tables: Tables) => Buffer][] = [
  ['has fewer outlines than "maxp" counts', (_, tables) => squareCff(glyphsOf(tables) - 1)],
  ['has more outlines than "maxp" counts', (_, tables) => squareCff(glyphsOf(tables) + 1)],
  ['is truncated', (cff) => cff.subarray(0, -1)],
  [
    'has outlines that overlap',
    (cff) => {
      const changed = Buffer.from(cff)
      // Changes the first offset of the last index. It must point to the first object, but no longer does.
      changed.writeUInt32BE(2, cff.length - cff.subarray(cff.lastIndexOf(Buffer.from([4, 0, 0, 0, 1]))).length + 1)
      return changed
    },
  ],
]
for (const [what, change] of CFF_CONTRADICTIONS) {
  test(`rejects a font whose table "CFF" ${what}, and names the table`, async (t) => {
    const { code, detail } = await outcomeOf(t, asCff(change))
    assert.equal(code, 'font_unreadable')
    assert.ok(detail.includes('"CFF"'), detail)
  })
}

test('faults in a table that is not stored do not matter', async (t) => {
  const edit: Edit = (tables) => {
    for (const tag of ['vhea', 'vmtx', 'VORG', 'BASE', 'kern', 'fpgm']) tables.set(tag, Buffer.from('nonsense'))
  }
  assert.deepEqual(await outcomeOf(t, edit), { code: 'accepted', detail: '' })
})
