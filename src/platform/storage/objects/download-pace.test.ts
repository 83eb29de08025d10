import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '../../../../test/lib/until.ts'
import { createRequestContext, type RequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { createTransferBudgets } from '../../db/admission/transfer-budgets.ts'
import { createDownloadPace } from './download-pace.ts'
import { fileRates } from './file-budgets.ts'

const MIB = 1024 * 1024
const PART = Buffer.alloc(MIB / 16, 'x')

const as = <Result>(context: Partial<RequestContext>, work: () => Result): Result =>
  runInRequest({ ...createRequestContext(), ...context }, work)

const fileOf = (bytes: number): Readable => Readable.from(Array.from({ length: bytes / PART.length }, () => PART))

/** Opens budgets with which a customer reads 1 MiB/s after the first 8 MiB. */
function open() {
  const pace = createDownloadPace(createTransferBudgets(fileRates(MIB / 2)))
  return {
    pace,
    read: async (context: Partial<RequestContext>, bytes: number): Promise<number> => {
      const begin = performance.now()
      const read = await buffer(as(context, () => pace(fileOf(bytes))))
      assert.equal(read.length, bytes)
      return performance.now() - begin
    },
  }
}

test('a customer that has read more than its burst reads at its rate, and others at once', async () => {
  const { read } = open()
  const one = { account: 'usr_one', isCustomer: true }
  // On a busy computer the burst takes time, in which the budget grows.
  const beyondMs = (await read(one, 8 * MIB)) + (await read(one, MIB / 2))
  assert.ok(beyondMs >= 400, `${beyondMs} ms`)
  const otherMs = await read({ account: 'usr_other', isCustomer: true }, MIB)
  assert.ok(otherMs < 400, `${otherMs} ms`)
})

test('readers of signed links read as their network', async () => {
  const { read } = open()
  const burstMs = await read({ account: '192.0.2.1', anonymousNetwork: '192.0.2.0/24' }, 4 * MIB)
  const beyondMs = burstMs + (await read({ account: '192.0.2.9', anonymousNetwork: '192.0.2.0/24' }, MIB / 2))
  assert.ok(beyondMs >= 400, `${beyondMs} ms`)
})

test('staff, jobs and a service without limits of rates read the file itself', () => {
  const { pace } = open()
  const file = fileOf(MIB)
  assert.equal(
    as({ account: 'usr_staff' }, () => pace(file)),
    file,
  )
  assert.equal(pace(file), file)
  const customer = { account: 'usr_one', isCustomer: true }
  assert.equal(
    as(customer, () => createDownloadPace(undefined)(file)),
    file,
  )
})

test('a download that ends early closes its file, and a file that fails ends its download', async () => {
  const { pace } = open()
  const customer = { account: 'usr_one', isCustomer: true }
  const left = fileOf(MIB)
  as(customer, () => pace(left)).destroy()
  await until('the end of the file', async () => left.destroyed)
  const broken = new Readable({ read: () => undefined })
  const reading = buffer(as(customer, () => pace(broken)))
  broken.destroy(new Error('the disk is broken'))
  await assert.rejects(reading, /the disk is broken/)
})

test('a download that ends while it waits keeps neither a timer nor a part of its file', async (t) => {
  const { pace, read } = open()
  const customer = { account: 'usr_one', isCustomer: true }
  await read(customer, 8 * MIB)
  const begun = t.mock.method(globalThis, 'setTimeout')
  const ended = t.mock.method(globalThis, 'clearTimeout')
  const paced = as(customer, () => pace(fileOf(32 * MIB))).resume()
  while (begun.mock.callCount() === 0) await setImmediate()
  paced.destroy()
  await setImmediate()
  const [waiting] = begun.mock.calls
  assert.ok(ended.mock.calls.some(({ arguments: [timer] }) => timer === waiting?.result))
})

test('a stream that has a pace already gets no second one', () => {
  const { pace } = open()
  as({ account: 'usr_one', isCustomer: true }, () => {
    const paced = pace(fileOf(MIB))
    assert.equal(pace(paced), paced)
    paced.destroy()
  })
})
