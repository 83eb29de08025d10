import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../../../../test/lib/browser/browser.ts'
import { crash, type PageKit, startPages } from './journal-page.fixture.ts'

declare const kit: PageKit

test('changes survive a crash of the tab, for the same design, customer and service only', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, errors } = await startPages(t)
  const first = await open()
  await first.evaluate(() => kit.keep(kit.place(), ['b', 'c']))
  await first.evaluate(() => kit.untilKept('b', 'c'))
  await crash(first)
  const page = await open()
  const others = await page.evaluate(async () => [
    await kit.takeOver(kit.place({ customerId: 'cus_2' })),
    await kit.takeOver(kit.place({ designId: 'dsn_2' })),
    await kit.takeOver(kit.place({ serviceUrl: 'https://other.example.com' })),
  ])
  assert.deepEqual(others, [undefined, undefined, undefined])
  assert.deepEqual(await page.evaluate(() => kit.takeOver(kit.place({ serviceUrl: `${kit.SERVICE}/v1` }))), ['b', 'c'])
  assert.deepEqual(errors, [])
})

test('what was taken over stays until it is saved or stored again', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open } = await startPages(t)
  const first = await open()
  await first.evaluate(() => kit.keep(kit.place(), ['b']))
  await first.evaluate(() => kit.untilKept('b'))
  await first.close()
  for (let i = 0; i < 2; i++) {
    const page = await open()
    assert.deepEqual(await page.evaluate(() => kit.takeOver(kit.place())), ['b'])
    await page.close()
  }
  const page = await open()
  const left = await page.evaluate(async () => {
    const journal = kit.openJournal(kit.place())
    await journal.takeOver()
    journal.keep(kit.entryOf(['b', 'c']))
    await journal.writeNow()
    const during = await kit.countStored()
    journal.clear()
    await journal.close()
    return [during, await kit.countStored()]
  })
  assert.deepEqual(left, [1, 0])
})

// Its changes would otherwise be saved by two editors.
test('changes of a tab that still runs are not taken over', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open } = await startPages(t)
  const running = await open()
  await running.evaluate(() => kit.keep(kit.place(), ['b']))
  await running.evaluate(() => kit.untilKept('b'))
  const page = await open()
  assert.equal(await page.evaluate(() => kit.takeOver(kit.place({ leavingMs: 500 }))), undefined)
  await running.close()
  const next = await open()
  assert.deepEqual(await next.evaluate(() => kit.takeOver(kit.place())), ['b'])
})

test('changes of two tabs that have ended are combined', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open } = await startPages(t)
  const tabs = [await open(), await open()]
  await tabs[0]?.evaluate(() => kit.keep(kit.place(), ['b']))
  // The first tab still runs, and waiting for its end would be in vain.
  await tabs[1]?.evaluate(() => kit.keep(kit.place({ leavingMs: 500 }), ['c']))
  await tabs[1]?.evaluate(() => kit.untilKept('b', 'c'))
  for (const tab of tabs) await tab.close()
  const page = await open()
  assert.deepEqual(await page.evaluate(() => kit.takeOver(kit.place())), ['b', 'c'])
})

test('entries that are damaged or older than 30 days are removed without a word', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, errors } = await startPages(t)
  const page = await open()
  await page.evaluate(async () => {
    const key = (tab: string) => [kit.SERVICE, 'cus_1', 'dsn_1', tab]
    const entry = kit.entryOf(['b'])
    const layer = { ...entry.mine.document.placements[0]?.layers[0] }
    const withLayer = (fields: object) => ({
      ...entry,
      mine: {
        ...entry.mine,
        document: { version: 1, placements: [{ printAreaId: 'front', layers: [{ ...layer, ...fields }] }] },
      },
    })
    const values = [
      'x',
      null,
      {},
      { ...entry, mine: { ...entry.mine, document: { version: 2 } } },
      withLayer({ x: 'left' }),
      withLayer({ width: Number.NaN }),
      withLayer({ type: 'video' }),
      withLayer({ cornerRadius: 1.00001 }),
      kit.entryOf(['old'], { at: Date.now() - 31 * 86_400_000 }),
    ]
    for (const [index, value] of values.entries()) await kit.storeRaw(key(`tab${index}`), value)
  })
  assert.equal(await page.evaluate(() => kit.takeOver(kit.place())), undefined)
  await page.evaluate(() => kit.untilStored(0))
  assert.deepEqual(errors, [])
})

test('an entry of a former release, under one key, is taken over', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open } = await startPages(t)
  const page = await open()
  await page.evaluate(() => kit.storeRaw([kit.SERVICE, 'cus_1', 'dsn_1', 'former'], kit.entryOf(['b'])))
  assert.deepEqual(await page.evaluate(() => kit.takeOver(kit.place())), ['b'])
})

test('the base and the sent contents are stored only when they change, and are read with the newest content', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open } = await startPages(t)
  const first = await open()
  const writes = await first.evaluate(async () => {
    const put = IDBObjectStore.prototype.put
    const written: string[][] = [[]]
    IDBObjectStore.prototype.put = function (value, key) {
      written.at(-1)?.push(String((key as string[])[4] ?? 'entry'))
      return put.call(this, value, key)
    }
    const journal = kit.openJournal(kit.place())
    await journal.takeOver()
    const { base, sent } = kit.entryOf([])
    const keep = async (entry: Parameters<typeof journal.keep>[0]) => {
      journal.keep(entry)
      await journal.writeNow()
      written.push([])
    }
    await keep({ ...kit.entryOf(['a']), base, sent })
    await keep({ ...kit.entryOf(['a', 'b']), base, sent })
    const later = kit.entryOf(['a']).mine
    await keep({ ...kit.entryOf(['a', 'b', 'c']), base: later, sent })
    await keep({ ...kit.entryOf(['a', 'b', 'c']), base: later, sent: [later] })
    journal.clear()
    await keep({ ...kit.entryOf(['a', 'b', 'c', 'd']), base: later, sent: [] })
    return written
  })
  assert.deepEqual(writes, [
    ['entry', 'base', 'sent'],
    ['entry'],
    ['entry', 'base'],
    ['entry', 'sent'],
    ['entry', 'base', 'sent'],
    [],
  ])
  await first.close()
  const page = await open()
  const entry = await page.evaluate(() => kit.openJournal(kit.place()).takeOver())
  const idsOf = ({ document }: { document: { placements: readonly { layers: readonly { id: string }[] }[] } }) =>
    document.placements.flatMap(({ layers }) => layers.map(({ id }) => id))
  assert.ok(entry !== undefined)
  assert.deepEqual([idsOf(entry.base), idsOf(entry.mine), entry.sent], [['a'], ['a', 'b', 'c', 'd'], []])
})

test('of all designs, the 20 newest entries stay', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open } = await startPages(t)
  const page = await open()
  await page.evaluate(async () => {
    for (let i = 0; i < 25; i++) {
      await kit.storeRaw([kit.SERVICE, 'cus_1', `dsn_x${i}`, 'tab'], kit.entryOf([], { at: Date.now() - i * 1_000 }))
    }
    await kit.takeOver(kit.place({ pruneMs: 0 }))
  })
  await page.evaluate(() => kit.untilStored(20))
  const designs = await page.evaluate(async () => (await kit.stored()).map(([key]) => (key as string[])[2]))
  assert.deepEqual(designs.sort(), Array.from({ length: 20 }, (_, i) => `dsn_x${i}`).sort())
})

test('without IndexedDB, and with a full one, only the safety is missing', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, context, origin, errors } = await startPages(t)
  const full = await open()
  const session = await context.newCDPSession(full)
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 })
  const keepsNothing = async () => {
    const journal = await kit.keep(kit.place(), ['b'])
    await journal.writeNow()
    journal.clear()
    await journal.close()
    return journal.isKeeping()
  }
  assert.equal(await full.evaluate(keepsNothing), false)
  await context.addInitScript(() => {
    Object.defineProperty(globalThis, 'indexedDB', {
      get: () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  })
  assert.equal(await (await open()).evaluate(keepsNothing), false)
  assert.deepEqual(errors, [])
})
