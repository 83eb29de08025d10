import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '../../platform/ids.ts'
import { makeFont } from '../../rendering/user-fonts/factory.ts'
import { documentOf, openWorkshop, requestOf, textLayer } from '../factory.ts'
import { finalizeDesign, finalizeDesignLater } from '../finalization/finalize-design.ts'
import { changeDesign } from '../save-design.ts'
import { addFont } from './add-font.fixture.ts'
import { openFonts } from './design-fonts.ts'
import { type OpenFonts, withOpenFonts } from './with-open-fonts.ts'

/** A design in an own font, and parts that have nothing open yet and tell of each reading of a font. */
async function openCold(t: TestContext, onRead: () => Promise<unknown> = async () => undefined) {
  const shop = await openWorkshop(t)
  const ownerId = newId('user')
  const font = await addFont(shop, ownerId, await makeFont())
  const document = documentOf([textLayer('Hello', { fontFamily: 'Mine' })])
  const design = await shop.addDesign(await shop.addProduct(), ownerId, document)
  const reads = { count: 0 }
  const localPath = async (sha256: string) => {
    if (sha256 === font.sha256) {
      reads.count += 1
      await onRead()
    }
    return shop.deps.storage.localPath(sha256)
  }
  const coldDeps = () => ({
    ...shop.deps,
    fonts: { ...shop.deps.fonts },
    storage: { ...shop.deps.storage, localPath },
  })
  return { shop, design, font, reads, coldDeps }
}

test('a font is read while nothing is locked', async (t) => {
  let isFree = async (): Promise<unknown> => undefined
  const { shop, design, reads, coldDeps } = await openCold(t, () => isFree())
  // Fails at once where the row is locked.
  isFree = () => shop.db.selectFrom('designs').select('id').where('id', '=', design.id).forUpdate().noWait().execute()
  const change = { key: design, changes: {}, requireVersion: () => undefined, now: () => shop.clock.now() }
  const cold = coldDeps()
  const changed = await withOpenFonts(cold, (open) => shop.inTransaction((trx) => changeDesign(trx, open, change)))
  assert.equal(JSON.parse(changed.preflightJson).ok, true)
  assert.equal(changed.revision, design.revision + 1)
  assert.equal(reads.count, 1)
  await finalizeDesignLater(coldDeps(), requestOf(design))
  assert.equal(reads.count, 2)
  shop.clock.shift(3600)
  assert.equal((await finalizeDesign(coldDeps(), requestOf(design))).status, 'finalized')
})

test('a font that is open is not read again, and the transaction runs once', async (t) => {
  const { font, reads, coldDeps } = await openCold(t)
  const deps = coldDeps()
  let runs = 0
  const work = async (open: OpenFonts) => {
    runs += 1
    return open.bookOf([font])
  }
  const book = await withOpenFonts(deps, work)
  assert.equal(await withOpenFonts(deps, work), book)
  assert.deepEqual([runs, reads.count], [3, 1])
})

test('of two who ask for a font at once one reads it, and they get the same book', async (t) => {
  const { font, reads, coldDeps } = await openCold(t)
  const deps = coldDeps()
  const [one, other] = await Promise.all([openFonts(deps, [font]), openFonts(deps, [font])])
  assert.equal(one.book, other.book)
  // The same file under another name is another book over the same bytes.
  const renamed = await openFonts(deps, [{ ...font, family: 'Other' }])
  assert.notEqual(renamed.book, one.book)
  assert.equal(reads.count, 1)
})

test('a font whose reading failed is read anew by the next who asks', async (t) => {
  let failure: Error | undefined = new Error('the storage is away')
  const { font, coldDeps } = await openCold(t, async () => {
    if (failure !== undefined) throw failure
  })
  const deps = coldDeps()
  await assert.rejects(openFonts(deps, [font]), /storage is away/)
  failure = undefined
  assert.equal((await openFonts(deps, [font])).own.length, 1)
})

test('fonts that are others each time are not opened for ever', async (t) => {
  const { font, coldDeps } = await openCold(t)
  let runs = 0
  const work = async (open: OpenFonts) => {
    runs += 1
    return open.bookOf([{ ...font, family: `Family ${runs}` }])
  }
  await assert.rejects(withOpenFonts(coldDeps(), work), { code: 'renderer_busy' })
  assert.equal(runs, 5)
})
