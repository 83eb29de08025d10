import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientGone } from './client-gone.ts'
import { createRequestContext, currentRequest, runInRequest } from './request-context.ts'
import { createFairSemaphore, createKeyedSemaphore, createSemaphore } from './semaphore.ts'

/** Starts work that continues until the test calls `end`. */
function startWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('work beyond the permits waits, and beyond the limit of waiting it is rejected', async () => {
  const semaphore = createSemaphore(1, { max: 1, whenFull: () => new Error('full') })
  const [first, second] = [startWork(), startWork()]
  const order: string[] = []
  const ended = [
    semaphore.run(first.work).then(() => order.push('first')),
    semaphore.run(second.work).then(() => order.push('second')),
  ]
  await assert.rejects(
    semaphore.run(async () => undefined),
    /full/,
  )
  second.end()
  first.end()
  await Promise.all(ended)
  assert.deepEqual(order, ['first', 'second'])
})

test('owners are served in rotation, even if much work of one owner waits', async () => {
  const semaphore = createFairSemaphore(1, { waiting: { max: 10, whenFull: () => new Error('full') } })
  const first = startWork()
  const order: string[] = []
  const run = (owner: string, work = async () => undefined as unknown) =>
    semaphore.run(owner, work).then(() => order.push(owner))
  const ended = [run('many', first.work), run('many'), run('many'), run('many'), run('single')]
  first.end()
  await Promise.all(ended)
  assert.ok(order.indexOf('single') <= 2, order.join(' '))
})

test('if too much work waits, the last work of the owner with the most is rejected', async () => {
  const semaphore = createFairSemaphore(1, { waiting: { max: 2, whenFull: () => new Error('full') } })
  const first = startWork()
  const run = (owner: string, work = async () => undefined as unknown) => semaphore.run(owner, work).then(() => owner)
  const running = run('many', first.work)
  const outcomes = Promise.allSettled([run('many'), run('many'), run('single'), run('other')])
  first.end()
  await running
  const text = (await outcomes).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))
  assert.deepEqual(text, ['many', 'Error: full', 'single', 'Error: full'])
})

test('any number of owners of one group waits for one turn of another group, and makes room for it', async () => {
  const groupOf = (owner: string | undefined) => owner?.split(' ')[0]
  const semaphore = createFairSemaphore(1, { waiting: { max: 6, whenFull: () => new Error('full') }, groupOf })
  const first = startWork()
  const order: string[] = []
  const refused: string[] = []
  const run = (owner: string, work = async () => undefined as unknown) =>
    semaphore.run(owner, work).then(
      () => void order.push(owner),
      () => void refused.push(owner),
    )
  const many = ['many 1', 'many 2', 'many 3', 'many 4', 'many 5', 'many 6', 'many 6']
  const ended = [run('many 0', first.work), ...many.map((owner) => run(owner))]
  ended.push(run('single 1'), run('single 2'), run('single 3'), run('single 4'))
  first.end()
  await Promise.all(ended)
  const groups = (owners: string[]) => owners.map((owner) => owner.split(' ')[0])
  assert.deepEqual(groups(refused).sort(), ['many', 'many', 'many', 'many', 'single'])
  assert.deepEqual(groups(order), ['many', 'many', 'single', 'many', 'single', 'many', 'single'])
})

test('a group that waits is not overtaken by groups that come later', async () => {
  const semaphore = createFairSemaphore(1)
  const first = startWork()
  const order: string[] = []
  const run = (owner: string, work = async () => undefined as unknown): Promise<unknown> =>
    semaphore.run(owner, work).then(() => order.push(owner))
  const ended = [run('a', first.work), run('b'), run('b')]
  for (let number = 0; number < 5; number += 1) ended.push(first.work().then(() => run(`late ${number}`)))
  first.end()
  await Promise.all(ended)
  assert.ok(order.lastIndexOf('b') <= 4, order.join(', '))
})

test('preferred owners come first, and find a place when many other owners wait', async () => {
  const isPreferred = (owner: string | undefined) => owner?.startsWith('known') === true
  const semaphore = createFairSemaphore(1, { waiting: { max: 4, whenFull: () => new Error('full') }, isPreferred })
  const first = startWork()
  const order: string[] = []
  const run = (owner: string, work = async () => undefined as unknown) =>
    semaphore.run(owner, work).then(() => order.push(owner))
  const ended = [run('a', first.work), run('b'), run('c'), run('d'), run('e'), run('known'), run('known too')]
  await assert.rejects(run('f'), /full/)
  await assert.rejects(run('known, but late'), /full/)
  first.end()
  await Promise.all(ended)
  assert.deepEqual(order.slice(0, 3), ['a', 'known', 'known too'])
})

test('much work of preferred owners leaves every fourth turn to others', async () => {
  const isPreferred = (owner: string | undefined) => owner === 'known'
  const semaphore = createFairSemaphore(1, { isPreferred })
  const first = startWork()
  const order: string[] = []
  const run = (owner: string, work = async () => undefined as unknown) =>
    semaphore.run(owner, work).then(() => order.push(owner))
  const known = Array.from({ length: 20 }, () => 'known')
  const ended = [run('known', first.work), ...known.map((owner) => run(owner)), run('other')]
  first.end()
  await Promise.all(ended)
  assert.ok(order.indexOf('other') <= 5, order.join(' '))
})

test('neither work of preferred owners nor that of others takes places of the other kind', async () => {
  const isPreferred = (owner: string | undefined) => owner === 'known'
  const semaphore = createFairSemaphore(1, { waiting: { max: 4, whenFull: () => new Error('full') }, isPreferred })
  const first = startWork()
  const run = (owner: string, work = async () => undefined as unknown) => semaphore.run(owner, work)
  const ended = [run('a', first.work), run('known'), run('known'), run('b'), run('c'), run('d'), run('e')]
  await assert.rejects(run('known'), /full/)
  await assert.rejects(run('f'), /full/)
  first.end()
  await Promise.all(ended)
})

test('work that fails returns its permit', async () => {
  const semaphore = createKeyedSemaphore({ max: 10, whenFull: () => new Error('full') })
  await assert.rejects(
    semaphore.run('a', 1, async () => {
      throw new Error('failed')
    }),
    /failed/,
  )
  assert.equal(await semaphore.run('a', 1, async () => 'next'), 'next')
})

test('keys do not wait for each other', async () => {
  const semaphore = createKeyedSemaphore({ max: 10, whenFull: () => new Error('full') })
  const held = startWork()
  const holding = semaphore.run('a', 1, held.work)
  assert.equal(await semaphore.run('b', 1, async () => 'done'), 'done')
  held.end()
  await holding
})

test('waiting work of a client that leaves is rejected, unless the request has begun to write', async () => {
  const semaphore = createFairSemaphore(1)
  const held = startWork()
  const holding = semaphore.run('a', held.work)
  const listeners: (() => void)[] = []
  const onLeave = (listener: () => void) => {
    listeners.push(listener)
    return () => undefined
  }
  const order: string[] = []
  const run = (name: string, hasBegunToWrite: boolean) =>
    runInRequest({ ...createRequestContext(), onLeave, hasBegunToWrite }, () =>
      semaphore.run('b', async () => void order.push(name)),
    )
  const dropped = assert.rejects(run('reads', false), ClientGone)
  const kept = run('writes', true)
  for (const leave of listeners) leave()
  await dropped
  held.end()
  await Promise.all([holding, kept])
  assert.deepEqual(order, ['writes'])
  assert.equal(await semaphore.run('c', async () => 'next'), 'next')
})

test('work of a client that leaves takes no waiting place of a semaphore', async () => {
  const semaphore = createKeyedSemaphore({ max: 1, whenFull: () => new Error('full') })
  const held = startWork()
  const holding = semaphore.run('a', 1, held.work)
  let leave = (): void => undefined
  const onLeave = (listener: () => void) => {
    leave = listener
    return () => undefined
  }
  const dropped = assert.rejects(
    runInRequest({ ...createRequestContext(), onLeave }, () => semaphore.run('a', 1, async () => 'dropped')),
    ClientGone,
  )
  leave()
  await dropped
  const next = semaphore.run('a', 1, async () => 'next')
  held.end()
  await holding
  assert.equal(await next, 'next')
})

test('one group leaves permits to others, and takes no more than its own when they are free', async () => {
  const groupOf = (owner: string | undefined) => owner?.split(' ')[0]
  const semaphore = createFairSemaphore(4, { groupOf, mostOfGroup: 2 })
  const work = Array.from({ length: 4 }, startWork)
  const begun: string[] = []
  const run = (owner: string, number: number) =>
    semaphore.run(owner, () => {
      begun.push(owner)
      return work[number]?.work() ?? Promise.resolve()
    })
  const ended = ['many 1', 'many 2', 'many 3', 'many 4'].map(run)
  await semaphore.run('single', async () => begun.push('single'))
  assert.deepEqual(begun, ['many 1', 'many 2', 'single'])
  work[0]?.end()
  await ended[0]
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['many 1', 'many 2', 'single', 'many 3'])
  for (const { end } of work) end()
  await Promise.all(ended)
  assert.equal(begun.at(-1), 'many 4')
})

/** A caller who is in debt until the test calls `pay`, with a function that runs work for it. */
function startDebtor(isInDebt: boolean) {
  const paid = Promise.withResolvers<void>()
  const debtor = { isInDebt, pay: (): void => undefined }
  debtor.pay = () => {
    debtor.isInDebt = false
    paid.resolve()
  }
  const debts = { has: () => debtor.isInDebt, untilPaid: () => paid.promise }
  const context = { ...createRequestContext(), account: 'usr_debtor', debts }
  return { debtor, run: <Result>(work: () => Result) => runInRequest(context, work) }
}

test('a caller who has moved too many bytes has no permit while it waits', async () => {
  const semaphore = createFairSemaphore(1)
  const { debtor, run } = startDebtor(true)
  const order: string[] = []
  const ofDebtor = run(() => semaphore.run('debtor', async () => order.push('debtor')))
  await semaphore.run('other', async () => order.push('other'))
  debtor.pay()
  await ofDebtor
  assert.deepEqual(order, ['other', 'debtor'])
})

test('a caller who has moved too many bytes when its permit comes passes it on', async () => {
  const semaphore = createFairSemaphore(1)
  const { debtor, run } = startDebtor(false)
  const first = startWork()
  const order: string[] = []
  const ofFirst = semaphore.run('first', first.work)
  const ofDebtor = run(() => semaphore.run('debtor', async () => order.push('debtor')))
  const ofOther = semaphore.run('other', async () => order.push('other'))
  debtor.isInDebt = true
  first.end()
  await Promise.all([ofFirst, ofOther])
  debtor.pay()
  await ofDebtor
  assert.deepEqual(order, ['other', 'debtor'])
})

test('in its turn, a caller who has moved too many bytes waits for no other turn because of them', async () => {
  const [outer, inner] = [createFairSemaphore(1), createFairSemaphore(1)]
  const { debtor, run } = startDebtor(false)
  const turns: number[] = []
  const work = async () => {
    debtor.isInDebt = true
    await inner.run('debtor', async () => turns.push(currentRequest()?.turns ?? 0))
  }
  await run(() => outer.run('debtor', work))
  assert.deepEqual(turns, [2])
})
