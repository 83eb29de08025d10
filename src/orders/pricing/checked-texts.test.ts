import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { checkPersonalizations } from '../../designs/index.ts'
import { GREETING, startCardShop } from '../item-files/factory.ts'
import { withCheckedTexts } from './checked-texts.ts'
import { priceItems } from './items.ts'

const WORDY = 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorff'
const NARROW = { ...GREETING, height: 6 } as typeof GREETING

test('texts are laid out without locks on their designs', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize([NARROW])
  const request = { ownerId: shop.customer.userId, items: [{ designId, quantity: 1, data: { name: WORDY } }] }
  await shop.db.transaction().execute(async (trx) => {
    await sql`select from designs where id = ${designId} for update`.execute(trx)
    const problem = await withCheckedTexts(shop.deps, request, async (texts) => texts.problem)
    assert.equal(problem?.code, 'preflight_failed')
  })
})

test('a design that is finalized after the check is checked again', async (t) => {
  const shop = await startCardShop(t)
  const { call, deps, product, customer } = shop
  const document = { version: 1, placements: [{ printAreaId: 'front', layers: [NARROW] }] }
  const variantId = product.variants[0]?.id
  const buy = async (name: string) => {
    const { id: designId } = await call('POST', '/designs', { productId: product.id, variantId, document })
    const request = { ownerId: customer.userId, items: [{ designId, quantity: 1, data: { name } }] }
    let tries = 0
    const priced = withCheckedTexts(deps, request, async (texts) => {
      tries += 1
      if (tries === 1) await call('POST', `/designs/${designId}/finalize`)
      const context = {
        ownerId: customer.userId,
        actor: { by: 'customer' as const, userId: null },
        now: shop.service.clock.now(),
        texts,
      }
      return deps.db.transaction().execute((trx) => priceItems(trx, request.items, context))
    })
    const outcome = await priced.then(
      ({ items }) => items.length,
      ({ code }) => code,
    )
    return [tries, outcome]
  }
  assert.deepEqual(await buy('Ann'), [2, 1])
  assert.deepEqual(await buy(WORDY), [2, 'preflight_failed'])
})

test('checking stops at the maximum number of reported faults', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize([NARROW])
  const { finalization } = await shop.call('GET', `/designs/${designId}`)
  const names = Array.from({ length: 60 }, (_, index) => `${WORDY} ${index}`)
  const faulty = names.map((name) => ({ finalizationId: finalization.id as string, values: { name } }))
  // Checking this finalization would fail, so the check must stop before it.
  const next = { finalizationId: 'nothing', values: {} }
  const faults = await checkPersonalizations(shop.deps.db, shop.deps.designs, [...faulty, next])
  assert.deepEqual([faults.length, faults[0]?.index], [50, 0])
})

test('other faults of items are reported before those of texts', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize([NARROW])
  const items = [WORDY, ''].map((name) => ({ designId, quantity: 1, data: { name } }))
  const body = { ...shop.basket(designId), items }
  const answer = await shop.request('POST', '/quotes', { token: shop.customer.token, body })
  assert.deepEqual([answer.status, answer.body.code], [422, 'placeholder_missing'])
})
