import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type CardShop, GREETING, startCardShop } from './factory.ts'
import { createFairQueue } from './fair-queue.ts'

/** Renders all due files. Returns the names of the items in the order of rendering. */
async function drawnNames(shop: CardShop, onFirst: () => Promise<void>): Promise<string[]> {
  const { inBackground } = shop.deps.designs.renderer
  const fairQueue = createFairQueue()
  const names: string[] = []
  const watched = shop.drawingWith(async (job, outDir) => {
    names.push(String(job.data?.['name']))
    if (names.length === 1) await onFirst()
    return inBackground.print(job, outDir)
  })
  while (await shop.draw(watched, fairQueue));
  return names
}

test('a large order delays the first item of another customer by at most one item', async (t) => {
  const shop = await startCardShop(t)
  const other = await shop.signUp()
  const designId = await shop.finalize()
  const otherId = await shop.finalize([GREETING], other.token)
  await shop.orderCards(designId, 'a', 'b', 'c')
  await shop.orderCards(designId, 'd')
  const names = await drawnNames(shop, async () => {
    await shop.call('POST', '/orders', shop.basket(otherId, { name: 'other 1' }, { name: 'other 2' }), other.token)
    // The job ends after this time, and the next run must remember which customers were served.
    await pause(2_000)
  })
  assert.match(names[1] ?? '', /^other/)
  assert.deepEqual(names.toSorted(), ['a', 'b', 'c', 'd', 'other 1', 'other 2'])
})

test('paid orders are rendered before unpaid ones', async (t) => {
  const shop = await startCardShop(t)
  const other = await shop.signUp()
  const designId = await shop.finalize()
  const otherId = await shop.finalize([GREETING], other.token)
  await shop.orderCards(designId, 'unpaid')
  const names = await drawnNames(shop, async () => {
    await shop.call('POST', '/orders', shop.basket(otherId, { name: 'other' }), other.token)
    await shop.pay((await shop.orderCards(designId, 'paid')).id)
  })
  assert.deepEqual(names, ['unpaid', 'paid', 'other'])
})

test('customers queue by the time that they have used, not by their number of items', () => {
  let now = 0
  const fairQueue = createFairQueue(() => now)
  fairQueue.recordServed('slow', 15_000)
  for (let item = 1; item <= 49; item += 1) {
    fairQueue.recordServed('quick', 300)
    assert.deepEqual(fairQueue.served(), ['quick', 'slow'], `item ${item}`)
  }
  fairQueue.recordServed('quick', 600)
  assert.deepEqual(fairQueue.served(), ['slow', 'quick'])
  // Half of what was used is forgotten in five minutes.
  now = 300_000
  fairQueue.recordServed('new', 8_000)
  assert.deepEqual(fairQueue.served(), ['slow', 'quick', 'new'])
  for (let i = 0; i < 1_000; i += 1) fairQueue.recordServed(`c${i}`, 20_000 + i)
  assert.deepEqual([fairQueue.served().length, fairQueue.served().at(-1)], [200, 'c999'])
})
