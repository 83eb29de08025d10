import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../platform/ids.ts'
import { archive, closeRenderer, openWithDesign, requestOf } from '../factory.ts'
import { finalizeDesign } from './finalize-design.ts'
import { requireOrderable } from './orderable.ts'

after(closeRenderer)

test('an order keeps the design from being archived until it is made', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, clock, db, design, ownerId } = shop
  await finalizeDesign(deps, requestOf(design))
  const asked = Promise.withResolvers<void>()
  const made = Promise.withResolvers<void>()
  const ordering = db.transaction().execute(async (trx) => {
    const answer = await requireOrderable(trx, { designId: design.id, ownerId, now: clock.now() })
    asked.resolve()
    await made.promise
    return answer
  })
  await asked.promise
  const archiving = archive(shop, design)
  await shop.untilBlocked(1)
  made.resolve()
  assert.equal((await ordering).ok, true)
  await archiving
})

test('what can be ordered is said with its reason', async (t) => {
  const shop = await openWithDesign(t)
  const { clock, design, ownerId } = shop
  const ask = (designId: string, owner = ownerId) =>
    shop.inTransaction((trx) => requireOrderable(trx, { designId, ownerId: owner, now: clock.now() }))
  const refused = (reason: string) => ({ ok: false, reason })
  assert.deepEqual(await ask(newId('design')), refused('design_not_found'))
  assert.deepEqual(await ask('nonsense'), refused('design_not_found'))
  assert.deepEqual(await ask(design.id), refused('design_not_finalized'))
  await finalizeDesign(shop.deps, requestOf(design))
  assert.deepEqual(await ask(design.id, newId('user')), refused('design_not_found'))
  assert.equal((await ask(design.id)).ok, true)
  await archive(shop, design)
  assert.deepEqual(await ask(design.id), refused('design_archived'))
})
