import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { noteNewcomer } from '../../platform/newcomers.ts'
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

test('while an item is rendered, only items of other customers are', async (t) => {
  const shop = await startCardShop(t)
  const other = await shop.signUp()
  const [designId, otherId] = [await shop.finalize(), await shop.finalize([GREETING], other.token)]
  await shop.orderCards(designId, 'slow 1', 'slow 2')
  const { inBackground } = shop.deps.designs.renderer
  const fairQueue = createFairQueue()
  const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const names: string[] = []
  const watched = shop.drawingWith(async (job, outDir) => {
    const name = String(job.data?.['name'])
    names.push(name)
    if (name === 'slow 1') {
      entered.resolve()
      await released.promise
    }
    return inBackground.print(job, outDir)
  })
  const first = shop.draw(watched, fairQueue)
  await entered.promise
  await shop.call('POST', '/orders', shop.basket(otherId, { name: 'other 1' }, { name: 'other 2' }), other.token)
  await shop.draw(watched, fairQueue)
  assert.deepEqual(names, ['slow 1', 'other 1', 'other 2'])
  released.resolve()
  await first
  while (await shop.draw(watched, fairQueue));
  assert.equal(names.at(-1), 'slow 2')
})

test('guests of one network queue as one customer', async (t) => {
  const shop = await startCardShop(t, { PLATEN_TRUSTED_PROXIES: 'loopback' })
  const other = await shop.signUp()
  const otherId = await shop.finalize([GREETING], other.token)
  for (const name of ['guest 1', 'guest 2', 'guest 3']) await shop.orderAsGuest('192.0.2.1', name)
  const names = await drawnNames(shop, async () => {
    await shop.call('POST', '/orders', shop.basket(otherId, { name: 'other' }), other.token)
  })
  assert.deepEqual(names, ['guest 1', 'other', 'guest 2', 'guest 3'])
})

// A client may register any number of accounts.
test('new customers of one network queue as one customer, and take turns among themselves', async (t) => {
  const shop = await startCardShop(t)
  const [one, two, other] = [await shop.signUp(), await shop.signUp(), await shop.signUp()]
  await shop.db.transaction().execute(async (trx) => {
    for (const { userId } of [one, two]) await noteNewcomer(trx, userId, Uint8Array.of(1, 2, 3, 4))
  })
  const order = async ({ token }: { token: string }, ...names: string[]) => {
    const designId = await shop.finalize([GREETING], token)
    const basket = shop.basket(designId, ...names.map((name) => ({ name })))
    return shop.call('POST', '/orders', basket, token)
  }
  await order(one, 'one 1', 'one 2')
  await order(two, 'two')
  const names = await drawnNames(shop, async () => void (await order(other, 'other')))
  assert.match(names[0] ?? '', /^one/)
  assert.deepEqual(names.slice(1, 3), ['other', 'two'])
})

test('while an item of one network is rendered, its other items wait, and unpaid ones of other networks do not', async (t) => {
  const shop = await startCardShop(t, { PLATEN_TRUSTED_PROXIES: 'loopback' })
  const [fairQueue, names] = [createFairQueue(), [] as string[]]
  const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { inBackground } = shop.deps.designs.renderer
  const watched = shop.drawingWith(async (job, outDir) => {
    names.push(String(job.data?.['name']))
    if (names.length === 1) {
      entered.resolve()
      await released.promise
    }
    return inBackground.print(job, outDir)
  })
  await shop.orderAsGuest('192.0.2.1', 'slow')
  const first = shop.draw(watched, fairQueue)
  await entered.promise
  await shop.orderAsGuest('192.0.2.1', 'same')
  await shop.orderAsGuest('192.0.2.2', 'other')
  await shop.draw(watched, fairQueue)
  assert.deepEqual(names, ['slow', 'other'])
  released.resolve()
  await first
  while (await shop.draw(watched, fairQueue));
  assert.deepEqual(names, ['slow', 'other', 'same'])
})

test('while guests have all runs but one, unpaid items of other guests wait, and paid ones do not', async (t) => {
  const shop = await startCardShop(t, { PLATEN_TRUSTED_PROXIES: 'loopback' })
  const [fairQueue, names] = [createFairQueue({ runs: 2 }), [] as string[]]
  const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { inBackground } = shop.deps.designs.renderer
  const watched = shop.drawingWith(async (job, outDir) => {
    names.push(String(job.data?.['name']))
    if (names.length === 1) {
      entered.resolve()
      await released.promise
    }
    return inBackground.print(job, outDir)
  })
  await shop.orderAsGuest('192.0.2.1', 'slow')
  const first = shop.draw(watched, fairQueue)
  await entered.promise
  await shop.orderAsGuest('192.0.2.2', 'unpaid')
  const paid = await shop.orderAsGuest('192.0.2.3', 'paid')
  await shop.pay(paid.id)
  await shop.draw(watched, fairQueue)
  assert.deepEqual(names, ['slow', 'paid'])
  released.resolve()
  await first
  while (await shop.draw(watched, fairQueue));
  assert.deepEqual(names, ['slow', 'paid', 'unpaid'])
})

test('calls take no work of a customer whose work another call is taking', async () => {
  const fairQueue = createFairQueue()
  const seen: string[][] = []
  const claim = async ({ busy }: { busy: readonly string[] }) => {
    seen.push([...busy])
    await pause(1)
    return { ownerId: `customer ${seen.length}`, share: `share ${seen.length}` }
  }
  await Promise.all([fairQueue.take(claim), fairQueue.take(claim)])
  assert.deepEqual(seen, [[], ['share 1']])
  fairQueue.end({ ownerId: 'customer 1', share: 'share 1' }, 1)
  await fairQueue.take(claim)
  assert.deepEqual(seen.at(-1), ['share 2'])
})

test('customers queue by the time that they have used, not by their number of items', async () => {
  let now = 0
  const fairQueue = createFairQueue({ nowMs: () => now })
  const end = (name: string, ms: number) => fairQueue.end({ ownerId: name, share: name }, ms)
  const served = async (): Promise<readonly string[]> => {
    let known: readonly string[] = []
    await fairQueue.take(async (turn) => {
      known = turn.served
      return undefined
    })
    return known
  }
  end('slow', 15_000)
  for (let item = 1; item <= 49; item += 1) {
    end('quick', 300)
    assert.deepEqual(await served(), ['quick', 'slow'], `item ${item}`)
  }
  end('quick', 600)
  assert.deepEqual(await served(), ['slow', 'quick'])
  // Half of what was used is forgotten in five minutes.
  now = 300_000
  end('new', 8_000)
  assert.deepEqual(await served(), ['slow', 'quick', 'new'])
  for (let i = 0; i < 1_000; i += 1) end(`c${i}`, 20_000 + i)
  assert.deepEqual([(await served()).length, (await served()).at(-1)], [200, 'c999'])
})
