import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { newId } from '../../../test/ids.ts'
import type { DesignDocumentInput, PreflightReport } from '../../drawing/index.ts'
import { deleteFont } from '../../fonts/delete-font.ts'
import type { Font } from '../../fonts/index.ts'
import type { Problem } from '../../platform/problem.ts'
import { makeFont, makeMirrored } from '../../rendering/user-fonts/factory.ts'
import { checkDesign, findCheckInputs } from '../checking/check-inputs.ts'
import { archive, documentOf, openWorkshop, replaceDocument, requestOf, textLayer, type Workshop } from '../factory.ts'
import { finalizeDesign } from '../finalization/finalize-design.ts'
import { collectSources, planPersonalized, sourceHashes } from '../personalization/personalize.ts'
import { previewDesign } from '../preview-design.ts'
import { contentOf, duplicateDesign } from '../save-design.ts'
import type { Design } from '../store.ts'
import { addFont } from './add-font.fixture.ts'
import { OWN_FONT_LIMITS } from './design-fonts.ts'

const inMine = (text = 'Hello {{name}}') => documentOf([textLayer(text, { fontFamily: 'Mine' })])

async function openWithFont(t: TestContext) {
  const shop = await openWorkshop(t)
  const ownerId = newId('user')
  const product = await shop.addProduct()
  const font = await addFont(shop, ownerId, await makeFont())
  const design = await shop.addDesign(product, ownerId, inMine())
  return { ...shop, ownerId, product, font, design }
}

const codesOf = ({ preflightJson }: Pick<Design, 'preflightJson'>): string[] =>
  (JSON.parse(preflightJson) as { issues: { code: string }[] }).issues.map(({ code }) => code)

const finalize = ({ deps }: Workshop, design: Design) => finalizeDesign(deps, requestOf(design))

const remove = ({ inTransaction }: Workshop, font: Font) => inTransaction((trx) => deleteFont(trx, font))

async function etagOf({ deps, db }: Workshop, design: Design): Promise<string> {
  const options = { printAreaId: undefined, widthPx: 100, format: 'png' } as const
  return (await previewDesign(db, deps, design, options)).etag
}

async function readPrintFile({ deps }: Workshop, design: Design): Promise<string> {
  const files = JSON.parse(design.finalization?.filesJson ?? '[]') as { kind: string; sha256: string }[]
  const { sha256 = '' } = files.find(({ kind }) => kind === 'print') ?? {}
  return readFile(await deps.storage.localPath(sha256), 'latin1')
}

test("a design is checked, shown and finalized in its owner's font, and retains it until it is archived", async (t) => {
  const shop = await openWithFont(t)
  assert.deepEqual(codesOf(shop.design), [])
  const picture = await previewDesign(shop.db, shop.deps, shop.design, {
    ...{ printAreaId: undefined, widthPx: 100, format: 'png' },
  })
  assert.ok((await picture.draw()).length > 0)
  const finalized = await finalize(shop, shop.design)
  assert.equal(finalized.status, 'finalized')
  assert.match(await readPrintFile(shop, finalized), /\/FontFile2/)
  await assert.rejects(remove(shop, shop.font), { code: 'font_in_use' })
  await archive(shop, finalized)
  await remove(shop, shop.font)
})

test('the fonts of a design count towards the room on the disk that its files need', async (t) => {
  const shop = await openWithFont(t)
  const { storage } = shop.deps
  const sizes: number[] = []
  const admit: typeof storage.admit = (size) => {
    sizes.push(size.least)
    return storage.admit(size)
  }
  const finalizeWith = async (document: DesignDocumentInput): Promise<void> => {
    const design = await shop.addDesign(shop.product, shop.ownerId, document)
    await finalizeDesign({ ...shop.deps, storage: { ...storage, admit } }, requestOf(design))
  }
  await finalizeWith(documentOf([textLayer('Hello')]))
  await finalizeWith(inMine())
  const [installed = 0, uploaded = 0] = sizes
  assert.deepEqual([sizes.length, uploaded - installed], [2, shop.font.bytes])
})

test('only its owner can use a family, and equal fonts give equal files for all owners', async (t) => {
  const shop = await openWithFont(t)
  const stranger = newId('user')
  const theirs = await shop.addDesign(shop.product, stranger, inMine())
  assert.deepEqual(codesOf(theirs), ['font_unknown'])
  await addFont(shop, stranger, await makeFont())
  const [hers, his] = [await finalize(shop, shop.design), await finalize(shop, theirs)]
  assert.equal(hers.finalization?.contentHash, his.finalization?.contentHash)
  const other = newId('user')
  await addFont(shop, other, await makeMirrored())
  const another = await finalize(shop, await shop.addDesign(shop.product, other, inMine()))
  assert.notEqual(another.finalization?.contentHash, hers.finalization?.contentHash)
})

test('an uploaded font replaces an installed one of the same name for its owner, but only in its weight', async (t) => {
  const shop = await openWithFont(t)
  const text = (fontWeight: number) => documentOf([textLayer('Hello', { fontFamily: 'Inter', fontWeight })])
  const regular = await shop.addDesign(shop.product, shop.ownerId, text(400))
  const bold = await shop.addDesign(shop.product, shop.ownerId, text(700))
  const before = [await etagOf(shop, regular), await etagOf(shop, bold)]
  await addFont(shop, shop.ownerId, await makeMirrored(), { family: 'Inter', weight: 700 })
  const later = [await etagOf(shop, regular), await etagOf(shop, bold)]
  assert.deepEqual([later[0] === before[0], later[1] === before[1]], [true, false])
})

test('a deleted font is missing in a draft, which stays usable', async (t) => {
  const shop = await openWithFont(t)
  await remove(shop, shop.font)
  const inputs = await findCheckInputs(shop.db, contentOf(shop.design))
  const report = JSON.parse(await checkDesign(shop.deps, inputs)) as PreflightReport
  assert.deepEqual(
    report.issues.map(({ code, severity, pointer }) => [code, severity, pointer]),
    [['font_unknown', 'error', '/placements/0/layers/0/fontFamily']],
  )
  await assert.rejects(finalize(shop, shop.design), { code: 'preflight_failed' })
  const changed = await replaceDocument(shop, shop.design, documentOf([textLayer('Hello')]))
  assert.equal((await finalize(shop, changed)).status, 'finalized')
})

// Without the row that marks the font as used, or without the check whether it could be marked, the design would be
// finalized and its font deleted.
test('a font that is deleted during drawing is detected before the design is finalized', async (t) => {
  const shop = await openWithFont(t)
  const held = shop.renderer.hold()
  const finalizing = finalize(shop, shop.design)
  await held.entered
  await remove(shop, shop.font)
  held.letGo()
  await assert.rejects(finalizing, { code: 'preflight_failed' })
  assert.deepEqual(await shop.db.selectFrom('font_uses').selectAll().execute(), [])
  assert.equal((await shop.read(shop.design)).status, 'draft')
})

test('a finalization that waited for the deletion of its font does not find the font', async (t) => {
  const shop = await openWithFont(t)
  const held = shop.renderer.hold()
  const finalizing = finalize(shop, shop.design)
  await held.entered
  const release = Promise.withResolvers<void>()
  const deleted = Promise.withResolvers<void>()
  const deleting = shop.inTransaction(async (trx) => {
    await deleteFont(trx, shop.font)
    deleted.resolve()
    await release.promise
  })
  await deleted.promise
  held.letGo()
  await shop.untilBlocked()
  release.resolve()
  await deleting
  await assert.rejects(finalizing, { code: 'preflight_failed' })
  assert.equal((await shop.read(shop.design)).status, 'draft')
})

test('later uploads change drafts but no finalized design', async (t) => {
  const shop = await openWithFont(t)
  const finalized = await finalize(shop, shop.design)
  const copy = await shop.inTransactionWithChecks((trx, checks) =>
    duplicateDesign(trx, checks, shop.design, shop.clock.now()),
  )
  const [before, ofCopy] = [await etagOf(shop, finalized), await etagOf(shop, copy)]
  await addFont(shop, shop.ownerId, await makeMirrored())
  assert.deepEqual([await etagOf(shop, finalized), (await etagOf(shop, copy)) === ofCopy], [before, false])
})

test('an archived design is shown in the fonts of its finalization, and not in later uploads', async (t) => {
  const shop = await openWithFont(t)
  const finalized = await finalize(shop, shop.design)
  const before = await etagOf(shop, finalized)
  await archive(shop, finalized)
  shop.clock.shift(60)
  await addFont(shop, shop.ownerId, await makeMirrored())
  assert.equal(await etagOf(shop, await shop.read(finalized)), before)
})

test('an archived design is not shown in a later font, even if its weight is nearer to that of the text', async (t) => {
  const shop = await openWithFont(t)
  const document = documentOf([textLayer('Hello', { fontFamily: 'Mine', fontWeight: 700 })])
  const finalized = await finalize(shop, await shop.addDesign(shop.product, shop.ownerId, document))
  const before = await etagOf(shop, finalized)
  await archive(shop, finalized)
  shop.clock.shift(60)
  await addFont(shop, shop.ownerId, await makeMirrored(), { weight: 700 })
  assert.equal(await etagOf(shop, await shop.read(finalized)), before)
})

test('a design protects the styles that its texts use from deletion, but no other style', async (t) => {
  const shop = await openWithFont(t)
  const bold = await addFont(shop, shop.ownerId, await makeMirrored(), { weight: 700 })
  // The second file of a family that consists of two files. A text for the placeholder may need its glyphs later, so it
  // cannot be deleted either.
  const half = await addFont(shop, shop.ownerId, await makeFont({ family: 'Half' }))
  await finalize(shop, shop.design)
  await remove(shop, bold)
  for (const font of [shop.font, half]) await assert.rejects(remove(shop, font), { code: 'font_in_use' })
})

test('an order item is personalized in the font of the design, even if the design is archived', async (t) => {
  const shop = await openWithFont(t)
  const finalized = await finalize(shop, shop.design)
  const finalizationId = finalized.finalization?.id ?? ''
  const sources = (await shop.inTransaction((trx) => collectSources(trx, [finalizationId]))).get(finalizationId)
  assert.ok(sources)
  assert.deepEqual(sourceHashes(sources), [shop.font.sha256])
  const personalization = { finalizationId, values: { name: 'Ada' }, sources }
  const deps = { ...shop.deps, renderer: { inBackground: shop.renderer } }
  const before = await planPersonalized(shop.db, deps, personalization)
  await archive(shop, finalized)
  await remove(shop, shop.font)
  const later = await planPersonalized(shop.db, deps, personalization)
  assert.equal(later.contentHash, before.contentHash)
  const without = await planPersonalized(shop.db, deps, { ...personalization, sources: { images: {} } })
  assert.notEqual(later.contentHash, without.contentHash)
  const [print] = await later.draw()
  assert.equal(print?.kind, 'print')
})

test('a damaged stored font is not used for layout', async (t) => {
  const shop = await openWithFont(t)
  const font = await addFont(shop, shop.ownerId, await makeMirrored(), { family: 'Damaged' })
  await writeFile(await shop.deps.storage.localPath(font.sha256), await makeFont({ family: 'Other' }))
  const document = documentOf([textLayer('Hello', { fontFamily: 'Damaged' })])
  await assert.rejects(shop.addDesign(shop.product, shop.ownerId, document), /damaged/)
})

/** Adds fonts of several families, and creates a document with a text in each. */
async function openWithFamilies(t: TestContext, count: number, naming: Partial<Font> = {}) {
  const shop = await openWithFont(t)
  const families = Array.from({ length: count }, (_, i) => `Own ${i}`)
  for (const family of families) await addFont(shop, shop.ownerId, await makeFont({ family }), { family, ...naming })
  const inFamilies = (names: readonly string[]) =>
    documentOf(names.map((fontFamily, i) => textLayer('Hello', { id: `text-${i}`, fontFamily })))
  return { shop, families, inFamilies }
}

const LIMIT = OWN_FONT_LIMITS.families

test('a document can name uploaded families up to the limit, not counting installed ones', async (t) => {
  const { shop, families, inFamilies } = await openWithFamilies(t, LIMIT + 1)
  const names = [...families.slice(0, LIMIT), families[0] ?? '', 'Inter', 'Roboto']
  const design = await shop.addDesign(shop.product, shop.ownerId, inFamilies(names))
  assert.equal((await finalize(shop, design)).status, 'finalized')

  const tooMany = { code: 'too_many_fonts', status: 422, extras: { members: { families: LIMIT + 1, limit: LIMIT } } }
  const refused = (error: Problem) => {
    const { code, status, extras } = error
    assert.deepEqual({ code, status, extras: { members: extras.members } }, tooMany)
    return true
  }
  await assert.rejects(shop.addDesign(shop.product, shop.ownerId, inFamilies(families)), refused)
  const draft = await shop.addDesign(shop.product, shop.ownerId, inFamilies(['Inter']))
  await assert.rejects(replaceDocument(shop, draft, inFamilies(families)), refused)
})

test('a draft that exceeds the limit of families after a later upload cannot be opened until it is changed', async (t) => {
  const { shop, families, inFamilies } = await openWithFamilies(t, LIMIT)
  const design = await shop.addDesign(shop.product, shop.ownerId, inFamilies([...families, 'Later']))
  await addFont(shop, shop.ownerId, await makeFont({ family: 'Later' }), { family: 'Later' })
  const tooMany = { code: 'too_many_fonts', status: 422 }
  await assert.rejects(etagOf(shop, design), tooMany)
  await assert.rejects(finalize(shop, design), tooMany)
  const copy = () =>
    shop.inTransactionWithChecks((trx, checks) => duplicateDesign(trx, checks, design, shop.clock.now()))
  await assert.rejects(copy(), tooMany)
  const changed = await replaceDocument(shop, design, inFamilies(families))
  assert.equal((await finalize(shop, changed)).status, 'finalized')
})

test('the total size of the uploaded fonts of a document is limited, not counting styles that no text uses', async (t) => {
  const bytes = OWN_FONT_LIMITS.bytes / 2
  const { shop, families, inFamilies } = await openWithFamilies(t, 3, { bytes })
  const [first = '', second = ''] = families
  for (const weight of [100, 900]) {
    await addFont(shop, shop.ownerId, await makeMirrored({ weight }), { family: first, weight, bytes })
  }
  await shop.addDesign(shop.product, shop.ownerId, inFamilies([first, second]))
  const tooLarge = { code: 'too_many_fonts', status: 422, message: /100663296 bytes in total; at most 67108864/ }
  await assert.rejects(shop.addDesign(shop.product, shop.ownerId, inFamilies(families)), tooLarge)
})
