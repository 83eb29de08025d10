import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { createRequestContext, type RequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { TransferLimited } from '../../db/admission/connection-gate.ts'
import { createTransferBudgets } from '../../db/admission/transfer-budgets.ts'
import { createFileBudget, fileRates } from './file-budgets.ts'

const MIB = 1024 * 1024
/** A rate of records with which a customer writes 1 MiB/s of files. */
const RATE = MIB / 2

const as = <Result>(context: Partial<RequestContext>, work: () => Result): Result =>
  runInRequest({ ...createRequestContext(), ...context }, work)

async function measure(work: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

test('the rate of records scales those of files, and a customer may write many photos at once', () => {
  assert.deepEqual(fileRates(8 * MIB), {
    visitors: { ofOne: 16 * MIB, ofAll: 32 * MIB, burst: 64 * MIB },
    established: { ofOne: 16 * MIB, ofAll: 64 * MIB, burst: 128 * MIB },
  })
})

test('a customer that has written more than its burst waits before each part, and others do not', async () => {
  const budget = createFileBudget(createTransferBudgets(fileRates(RATE)))
  const one = { account: 'usr_one', isCustomer: true }
  const before = await measure(() => as(one, () => budget.pace(8 * MIB)))
  assert.ok(before < 100, `${before} ms`)
  const beyond = await measure(() => as(one, () => budget.pace(MIB / 4)))
  assert.ok(beyond >= 200 && beyond < 1_000, `${beyond} ms`)
  const other = await measure(() => as({ account: 'usr_other', isCustomer: true }, () => budget.pace(8 * MIB)))
  assert.ok(other < 100, `${other} ms`)
})

test('visitors write as their network, whatever accounts they have', async () => {
  const budget = createFileBudget(createTransferBudgets(fileRates(RATE)))
  await as({ account: 'usr_a', share: 'guests abc111', isCustomer: true }, () => budget.pace(4 * MIB))
  const second = { account: 'usr_b', share: 'guests abc222', isCustomer: true }
  const beyond = await measure(() => as(second, () => budget.pace(MIB / 4)))
  assert.ok(beyond >= 200, `${beyond} ms`)
})

test('a file is refused while those of the caller take all that it may write', async () => {
  const budget = createFileBudget(createTransferBudgets(fileRates(RATE)))
  const one = { account: 'usr_one', isCustomer: true }
  const waiting = as(one, () => budget.pace(9.5 * MIB))
  as(one, () =>
    assert.throws(
      () => budget.requireRoom(),
      (error) => error instanceof TransferLimited && error.retryAfterSeconds === 2,
    ),
  )
  as({ account: 'usr_other', isCustomer: true }, () => budget.requireRoom())
  await waiting
  as(one, () => budget.requireRoom())
})

test('staff, jobs and a service without limits of rates write as fast as they can', async () => {
  const budget = createFileBudget(createTransferBudgets(fileRates(RATE)))
  const staff = await measure(() => as({ account: 'usr_staff' }, () => budget.pace(100 * MIB)))
  const job = await measure(() => budget.pace(100 * MIB))
  const unlimited = await measure(() =>
    as({ account: 'usr_one', isCustomer: true }, () => createFileBudget(undefined).pace(100 * MIB)),
  )
  for (const ms of [staff, job, unlimited]) assert.ok(ms < 100, `${ms} ms`)
})

test('the wait of a client that leaves ends at once, and its bytes stay charged', async () => {
  const budget = createFileBudget(createTransferBudgets(fileRates(RATE)))
  const one = { account: 'usr_one', isCustomer: true }
  const hangUp = new AbortController()
  const waiting = assert.rejects(
    as(one, () => budget.pace(10 * MIB, hangUp.signal)),
    ClientGone,
  )
  hangUp.abort()
  const tookMs = await measure(() => waiting)
  assert.ok(tookMs < 1_000, `${tookMs} ms`)
  as(one, () => assert.throws(() => budget.requireRoom(), TransferLimited))
})
