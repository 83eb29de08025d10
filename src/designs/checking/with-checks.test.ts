import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '../../../test/ids.ts'
import { makeFont } from '../../rendering/user-fonts/factory.ts'
import { documentOf, openWorkshop, requestOf, textLayer } from '../factory.ts'
import { finalizeDesign, finalizeDesignLater } from '../finalization/finalize-design.ts'
import { addFont } from '../fonts/add-font.fixture.ts'
import { changeDesign, inputsOfChange } from '../save-design.ts'
import type { CheckInputs } from './check-inputs.ts'
import { withChecks } from './with-checks.ts'

/** Creates a design in an uploaded font, and dependencies that call `onCheck` and count at each check. */
async function openWatched(t: TestContext, onCheck: () => Promise<unknown> = async () => undefined) {
  const shop = await openWorkshop(t)
  const ownerId = newId('user')
  const font = await addFont(shop, ownerId, await makeFont())
  const document = documentOf([textLayer('Hello', { fontFamily: 'Mine' })])
  const design = await shop.addDesign(await shop.addProduct(), ownerId, document)
  const checks = { count: 0 }
  const preflight: typeof shop.deps.checker.preflight = async (job, options) => {
    checks.count += 1
    await onCheck()
    return shop.deps.checker.preflight(job, options)
  }
  const deps = { ...shop.deps, checker: { ...shop.deps.checker, preflight } }
  const change = {
    key: design,
    changes: { name: 'Other' },
    requireVersion: () => undefined,
    now: () => shop.clock.now(),
  }
  let runs = 0
  const save = () =>
    withChecks(
      deps,
      (db) => inputsOfChange(db, change),
      (reports) => {
        runs += 1
        return shop.inTransaction((trx) => changeDesign(trx, { ...reports, quota: shop.quota }, change))
      },
    )
  return { shop, ownerId, design, font, checks, deps, save, runs: () => runs }
}

// If the check ran in the transaction, the row of the design would be locked and a connection held during the check.
test('saving and finalizing check a design outside of transactions', async (t) => {
  let isFree = async (): Promise<unknown> => undefined
  const { shop, design, checks, deps, save } = await openWatched(t, () => isFree())
  isFree = async () => {
    // Fails at once if the row is locked.
    await shop.db.selectFrom('designs').select('id').where('id', '=', design.id).forUpdate().noWait().execute()
    assert.equal(shop.deps.database.pool.totalCount, shop.deps.database.pool.idleCount)
  }
  assert.equal((await save()).revision, design.revision + 1)
  await finalizeDesignLater(deps, requestOf(design))
  shop.clock.shift(3600)
  assert.equal((await finalizeDesign(deps, requestOf(design))).status, 'finalized')
  assert.equal(checks.count, 3)
})

test('a save whose inputs stay the same checks once and runs its transaction once', async (t) => {
  const { checks, save, runs } = await openWatched(t)
  await save()
  assert.deepEqual([checks.count, runs()], [1, 1])
})

// Without the comparison of inputs, the draft would be stored with a report on fonts that were deleted.
test('if inputs change during a check, the design is checked again before anything is stored', async (t) => {
  const { shop, font, checks, save, runs } = await openWatched(t, async () => {
    if (checks.count === 1) await shop.db.deleteFrom('fonts').where('id', '=', font.id).execute()
  })
  const report = JSON.parse((await save()).preflightJson)
  assert.deepEqual([report.ok, report.issues[0].code], [false, 'font_unknown'])
  assert.deepEqual([checks.count, runs()], [2, 2])
})

test('if preflight fails, only transactions that read its report fail', async (t) => {
  const { deps } = await openWatched(t, async () => {
    throw new Error('no process')
  })
  const inputs = { ...(await someInputs(t)) }
  assert.equal(
    await withChecks(
      deps,
      async () => inputs,
      async () => 'done',
    ),
    'done',
  )
  const asking = withChecks(
    deps,
    async () => inputs,
    async (checks) => checks.reportOf(inputs),
  )
  await assert.rejects(asking, /no process/)
})

test('if inputs change in every attempt, checking ends with renderer_busy', async (t) => {
  const { deps, checks } = await openWatched(t)
  const inputs = await someInputs(t)
  let runs = 0
  const work = async (reports: { reportOf(inputs: CheckInputs): string }) => {
    runs += 1
    return reports.reportOf({ ...inputs, content: { ...inputs.content, documentJson: `${runs}` } })
  }
  await assert.rejects(
    withChecks(deps, async () => inputs, work),
    { code: 'renderer_busy' },
  )
  assert.deepEqual([runs, checks.count], [5, 6])
})

async function someInputs(t: TestContext): Promise<CheckInputs> {
  const shop = await openWorkshop(t)
  const product = await shop.addProduct()
  const document = { version: 1 as const, placements: [] }
  const content = {
    ownerId: newId('user'),
    templateId: null,
    productId: product.id,
    variantId: '',
    document,
    documentJson: '{}',
  }
  return { content, product, variant: undefined, available: true, assets: new Map(), ownFonts: [] }
}
