import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { compress } from 'woff2-encoder'
import { type FontRefusal, Refused } from '../errors.ts'
import {
  cmapOf,
  type FontChanges,
  floodingGsub,
  installedWoff2,
  makeComposite,
  makeFont,
  nameTable,
  nestedCff,
  outlineOf,
  replaceGlyphs,
  squareCff,
  tableOf,
  toWoff,
  writeFont,
} from './factory.ts'
import { type FontInfo, inspectFont } from './inspect-font.ts'
import { readTables } from './sfnt/tables.ts'

async function inspect(t: TestContext, bytes: Uint8Array): Promise<FontInfo & { kept: Buffer }> {
  const file = await writeFont(t, bytes)
  const info = await inspectFont(file)
  return { ...info, kept: await readFile(file.unpackedPath) }
}

async function refusalOf(t: TestContext, bytes: Uint8Array): Promise<string> {
  const file = await writeFont(t, bytes)
  try {
    await inspectFont(file)
  } catch (error) {
    if (error instanceof Refused) return error.code
    throw error
  }
  return 'accepted'
}

const refusalOfFont = async (t: TestContext, changes: FontChanges) => refusalOf(t, await makeFont(changes))

test('a font gives equal bytes unpacked and as WOFF, and equal bytes each time as WOFF2', async (t) => {
  const font = await makeFont({ family: 'Wrapped', weight: 700, italic: true })
  const bare = await inspect(t, font)
  const { kept: _, ...info } = bare
  assert.deepEqual(info, {
    family: 'Wrapped',
    weight: 700,
    style: 'italic',
    scripts: ['Latn'],
    mediaType: 'font/ttf',
    embedding: 'installable',
    bytes: bare.kept.length,
    sha256: bare.sha256,
  })
  assert.deepEqual(await inspect(t, toWoff(font)), bare)
  const woff2 = await compress(font)
  const [once, again] = [await inspect(t, woff2), await inspect(t, woff2)]
  assert.deepEqual(again, once)
  assert.deepEqual([once.family, once.weight, once.style, once.mediaType], ['Wrapped', 700, 'italic', 'font/ttf'])
})

test('a stored font has no private tables, no wrong checksums and no data after its end', async (t) => {
  const clean = await inspect(t, await makeFont())
  const font = await makeFont({
    edit: (tables) => {
      tables.set('PRIV', Buffer.from('<script>alert(1)</script>'))
      tables.set('DSIG', Buffer.from('signed by nobody'))
    },
  })
  const hidden = Buffer.concat([font, Buffer.from('<!doctype html><script>alert(1)</script>')])
  for (let entry = 12; entry < 12 + hidden.readUInt16BE(4) * 16; entry += 16) hidden.writeUInt32BE(0xbadbad, entry + 4)
  assert.deepEqual(await inspect(t, hidden), clean)
  assert.equal(clean.kept.includes('script'), false)
  const sum = (bytes: Buffer) => {
    let sum = 0
    for (let at = 0; at < bytes.length; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0
    return sum
  }
  assert.equal(sum(clean.kept), 0xb1b0afba)
  const entry = 12 + 16 * [...readTables(clean.kept).keys()].indexOf('glyf')
  const [expected, start, length] = [4, 8, 12].map((at) => clean.kept.readUInt32BE(entry + at))
  assert.equal(sum(clean.kept.subarray(start, (start ?? 0) + Math.ceil((length ?? 0) / 4) * 4)), expected)
})

const EMBEDDING: [what: string, fsType: number, os2Version: number, outcome: string][] = [
  ['nothing set', 0, 4, 'installable'],
  ['editable', 0x0008, 4, 'editable'],
  ['preview and print', 0x0004, 4, 'preview_and_print'],
  ['restricted', 0x0002, 4, 'font_embedding_not_allowed'],
  ['restricted and editable, in a version where the least restrictive level applies', 0x000a, 2, 'editable'],
  ['restricted and editable, in a version that allows only one level', 0x000a, 3, 'font_embedding_not_allowed'],
  ['restricted, in the first version', 0x0002, 1, 'font_embedding_not_allowed'],
  ['no subsetting', 0x0108, 4, 'font_subsetting_not_allowed'],
  ['bitmaps only', 0x0204, 4, 'font_outline_embedding_not_allowed'],
]
for (const [what, fsType, os2Version, outcome] of EMBEDDING) {
  test(`embedding permission: ${what} is ${outcome}`, async (t) => {
    const file = await writeFont(t, await makeFont({ fsType, os2Version }))
    const found = await inspectFont(file).then(
      ({ embedding }) => embedding,
      (error: Refused<FontRefusal>) => error.code,
    )
    assert.equal(found, outcome)
  })
}

test('the typographic family name is preferred to the legacy name and gets the width appended', async (t) => {
  const named = (width: number) => (tables: Map<string, Uint8Array>) => {
    tables.set(
      'name',
      nameTable([
        [1, 'Grand Sans Cn Blk'],
        [16, 'Grand Sans'],
        [17, 'Extra-Condensed Black'],
      ]),
    )
    tableOf(tables, 'OS/2').setUint16(6, width)
  }
  assert.equal((await inspect(t, await makeFont({ edit: named(5) }))).family, 'Grand Sans')
  assert.equal((await inspect(t, await makeFont({ edit: named(2) }))).family, 'Grand Sans Extra-Condensed')
})

test('invisible characters are removed from the name of a family', async (t) => {
  const family = 'Ev\u0000il\u202e \u200b\n  Sans\ufeff'
  assert.equal((await inspect(t, await makeFont({ family }))).family, 'Evil Sans')
  assert.equal((await inspect(t, await makeFont({ family: 'Käse 楷書' }))).family, 'Käse 楷書')
  for (const refused of [null, '', '\u0007\u200b', 'x'.repeat(101), 'x'.repeat(10_000)]) {
    assert.equal(await refusalOfFont(t, { family: refused }), 'font_unreadable')
  }
  assert.equal((await inspect(t, await makeFont({ family: 'x'.repeat(100) }))).family, 'x'.repeat(100))
})

test('weights in every notation are converted to those of CSS', async (t) => {
  const weightOf = async (weight: number) => (await inspect(t, await makeFont({ weight }))).weight
  assert.deepEqual(
    [await weightOf(0), await weightOf(7), await weightOf(250), await weightOf(900), await weightOf(0xffff)],
    [400, 700, 250, 900, 1000],
  )
})

test('a variable font is stored as its default instance', async (t) => {
  const { kept } = await inspect(t, await makeFont({ edit: (tables) => tables.set('fvar', Buffer.alloc(16)) }))
  assert.equal(readTables(kept).has('fvar'), false)
})

const NO_FONTS: [what: string, bytes: Buffer][] = [
  ['a web page', Buffer.from('<!doctype html><title>Not a font</title>')],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['a few bytes', Buffer.from('wOF2')],
  ['a collection', Buffer.from('ttcf\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0\0', 'latin1')],
  ['a collection as WOFF2', Buffer.concat([Buffer.from('wOF2ttcf', 'latin1'), Buffer.alloc(64)])],
  ['a PostScript font as WOFF', Buffer.concat([Buffer.from('wOFFtyp1', 'latin1'), Buffer.alloc(64)])],
]
for (const [what, bytes] of NO_FONTS) {
  test(`${what} is not accepted as a font`, async (t) => {
    assert.equal(await refusalOf(t, bytes), 'font_type_unsupported')
  })
}

test('fonts without fixed outlines are rejected: bitmaps, blank letters below colours, variable outlines', async (t) => {
  const without = (...tags: string[]) =>
    refusalOfFont(t, {
      edit: (tables) => {
        for (const tag of tags) tables.delete(tag)
        tables.set('CBDT', Buffer.alloc(16))
      },
    })
  assert.equal(await without('glyf', 'loca'), 'font_type_unsupported')
  const blank = await makeFont({
    edit: (tables) => {
      tables.set('glyf', Buffer.alloc(4))
      tables.set('loca', Buffer.alloc(tables.get('loca')?.length ?? 0))
      tables.set('COLR', Buffer.alloc(16))
    },
  })
  assert.equal(await refusalOf(t, blank), 'font_type_unsupported')
  const cff2 = await makeFont({
    edit: (tables) => {
      tables.delete('glyf')
      tables.set('CFF2', Buffer.alloc(16))
    },
  })
  assert.equal(await refusalOf(t, cff2), 'font_type_unsupported')
})

test('a font that is truncated anywhere is rejected, in every container format', async (t) => {
  const font = await makeFont()
  const wrapped = [font, toWoff(font), await installedWoff2()]
  for (const bytes of wrapped) {
    for (const share of [0.001, 0.01, 0.1, 0.5, 0.9, 0.999]) {
      const refusal = await refusalOf(t, bytes.subarray(0, Math.max(12, bytes.length * share)))
      assert.equal(refusal, 'font_unreadable', `${bytes.toString('latin1', 0, 4)} cut to ${share}`)
    }
  }
  assert.equal(await refusalOf(t, Buffer.alloc(0)), 'font_unreadable')
})

test('a font without a required table is rejected', async (t) => {
  for (const tag of ['head', 'hhea', 'hmtx', 'maxp', 'cmap', 'name', 'OS/2']) {
    assert.equal(await refusalOfFont(t, { edit: (tables) => tables.delete(tag) }), 'font_unreadable', tag)
    assert.equal(
      await refusalOfFont(t, { edit: (tables) => tables.set(tag, Buffer.alloc(2)) }),
      'font_unreadable',
      `${tag} truncated`,
    )
  }
})

test('a file that declares too large an unpacked size is rejected before unpacking', async (t) => {
  const huge = 0x7fff_ffff
  const font = await makeFont()
  assert.equal(await refusalOf(t, toWoff(font, { declared: huge })), 'font_too_large')
  const woff2 = Buffer.from(await installedWoff2())
  woff2.writeUInt32BE(huge, 16)
  assert.equal(await refusalOf(t, woff2), 'font_too_large')
  // These bytes are the size of the first table, encoded in five bytes of seven bits each.
  const table = Buffer.from(await installedWoff2())
  Buffer.from([0x87, 0xff, 0xff, 0xff, 0x7f]).copy(table, 49)
  assert.equal(await refusalOf(t, table), 'font_too_large')
})

// The decoder uses the tag and not the number 63. A check that used the number would expect no second size, and would
// misread the entries after it.
test('a WOFF2 file cannot hide a size with a written-out tag', async (t) => {
  const woff2 = await installedWoff2()
  const huge = Buffer.from([0x87, 0xff, 0xff, 0xff, 0x7f])
  const entry = Buffer.concat([Buffer.from([63]), Buffer.from('glyf'), Buffer.from([0x40]), huge])
  const hidden = Buffer.concat([woff2.subarray(0, 48), entry, woff2.subarray(48)])
  hidden.writeUInt16BE(1, 12)
  assert.equal(await refusalOf(t, hidden), 'font_too_large')
})

test('a WOFF2 file with more data than its tables declare is rejected without unpacking the rest', async (t) => {
  const woff2 = await installedWoff2()
  // The compressed data is at the end of the file.
  const start = woff2.length - woff2.readUInt32BE(20)
  const data = brotliDecompressSync(woff2.subarray(start, start + woff2.readUInt32BE(20)))
  const bomb = brotliCompressSync(Buffer.concat([data, Buffer.alloc(300_000_000)]), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
  })
  const file = Buffer.concat([woff2.subarray(0, start), bomb, Buffer.alloc(-bomb.length & 3)])
  file.writeUInt32BE(bomb.length, 20)
  file.writeUInt32BE(file.length, 8)
  const before = process.memoryUsage().rss
  assert.equal(await refusalOf(t, file), 'font_unreadable')
  assert.ok(process.memoryUsage().rss - before < 150_000_000)
})

test('tables that share bytes of a file count separately', async (t) => {
  const font = await makeFont({ edit: (tables) => tables.set('GSUB', Buffer.alloc(11_000_000)) })
  const entryOf = (tag: string) => {
    const index = [...readTables(font).keys()].indexOf(tag)
    return 12 + index * 16
  }
  for (const tag of ['GDEF', 'GPOS']) font.copy(font, entryOf(tag) + 8, entryOf('GSUB') + 8, entryOf('GSUB') + 16)
  assert.equal(await refusalOf(t, font), 'font_too_large')
})

test('a table that unpacks to more or less than declared is rejected', async (t) => {
  for (const declared of [200, 100_000]) {
    assert.equal(await refusalOf(t, toWoff(await makeFont(), { declared })), 'font_unreadable')
  }
})

// Glyphs from this index on have outlines of their own.
const PLAIN_GLYPH = 470
const chain = (length: number, parts: (glyph: number) => number[]) =>
  Array.from({ length }, (_, i): [number, number[]] => [PLAIN_GLYPH + 1 + i, parts(PLAIN_GLYPH + 1 + i)])

const TANGLES: [what: string, composites: [number, number[]][]][] = [
  ['itself', chain(1, (glyph) => [glyph])],
  ['a glyph that contains it', chain(3, (glyph) => [glyph === PLAIN_GLYPH + 3 ? PLAIN_GLYPH + 1 : glyph + 1])],
  ['a glyph that does not exist', chain(1, () => [65_000])],
  ['others over too many levels', chain(20, (glyph) => [glyph + 1])],
  ['others over too many levels, the deepest first', chain(20, (glyph) => [glyph - 1])],
  ['twice as many at each of a few levels', chain(12, (glyph) => [glyph - 1, glyph - 1])],
]
for (const [what, composites] of TANGLES) {
  test(`a glyph that is composed of ${what} is rejected`, async (t) => {
    const edit = (tables: Map<string, Uint8Array>) => makeComposite(tables, new Map(composites))
    assert.equal(await refusalOfFont(t, { edit }), 'font_unreadable')
  })
}

test('a glyph that is composed of two others over a few levels is accepted', async (t) => {
  const edit = (tables: Map<string, Uint8Array>) =>
    makeComposite(tables, new Map(chain(6, (glyph) => [glyph - 1, glyph - 1])))
  assert.equal(await refusalOfFont(t, { edit }), 'accepted')
})

test('a glyph with too many points, of its own or of its components, is rejected', async (t) => {
  const withGlyphs = (outlines: [number, Uint8Array][], composites: [number, number[]][] = []) => {
    const edit = (tables: Map<string, Uint8Array>) => {
      replaceGlyphs(tables, new Map(outlines))
      makeComposite(tables, new Map(composites))
    }
    return refusalOfFont(t, { edit })
  }
  const most = outlineOf(20_000)
  assert.equal(await withGlyphs([[PLAIN_GLYPH, most]]), 'accepted')
  assert.equal(await withGlyphs([[PLAIN_GLYPH, outlineOf(20_001)]]), 'font_too_complex')
  assert.equal(
    await withGlyphs([[PLAIN_GLYPH, most]], [[PLAIN_GLYPH + 1, [PLAIN_GLYPH, PLAIN_GLYPH + 2]]]),
    'font_too_complex',
  )
})

test('a font that claims every code point is rejected', async (t) => {
  const claiming = (ranges: (readonly [number, number])[]) =>
    refusalOfFont(t, { edit: (tables) => tables.set('cmap', cmapOf(5, ranges)) })
  assert.equal(await claiming([[0x20, 0x10ffff]]), 'font_unreadable')
  assert.equal(
    await claiming(Array.from({ length: 300 }, (_, i) => [0x20000 + i * 500, 0x20000 + i * 500 + 499])),
    'font_unreadable',
  )
  assert.equal(await claiming([[0x20, 0xffff]]), 'accepted')
})

test('a font that produces too many glyphs for a letter is rejected', async (t) => {
  const flood = (count: number) => (tables: Map<string, Uint8Array>) => {
    tables.set('cmap', cmapOf(5, [[0x41, 0x5a]]))
    tables.set('GSUB', floodingGsub(5, count))
  }
  assert.equal(await refusalOfFont(t, { edit: flood(3) }), 'accepted')
  assert.equal(await refusalOfFont(t, { edit: flood(500) }), 'font_unreadable')
})

test('a font with lines as high as a page is rejected', async (t) => {
  const withHeight = (ascender: number) => (tables: Map<string, Uint8Array>) => {
    tableOf(tables, 'hhea').setInt16(4, ascender)
    tableOf(tables, 'OS/2').setInt16(68, ascender)
  }
  assert.equal(await refusalOfFont(t, { edit: withHeight(5_000) }), 'accepted')
  assert.equal(await refusalOfFont(t, { edit: withHeight(32_000) }), 'font_unreadable')
})

// Drawing the last glyph would take hours. No sample of characters needs to contain it.
test('a font with one outline of too many steps is refused', async (t) => {
  const withOutlines = (write: (numGlyphs: number) => Buffer) =>
    refusalOfFont(t, { edit: (tables) => tables.set('CFF ', write(tableOf(tables, 'maxp').getUint16(4))) })
  assert.equal(await withOutlines(squareCff), 'accepted')
  assert.equal(await withOutlines(nestedCff), 'font_too_complex')
})
