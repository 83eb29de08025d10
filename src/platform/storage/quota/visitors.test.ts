import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, untilBlocked } from '../../../../test/harness.ts'
import { newId } from '../../../../test/ids.ts'
import { openDatabase, type Trx } from '../../db/index.ts'
import { newGuestId } from '../../fair-share.ts'
import { forgetNewcomer, noteNewcomer } from '../../newcomers.ts'
import { Problem } from '../../problem.ts'
import { createLog } from '../../telemetry/log.ts'
import { keepFormerUseForNetwork, recordFormerUse } from './former-use.ts'
import { createStorageQuota } from './quota.ts'
import { closeUsage, deleteUsage, listToReconcile, moveUsage, recordUsage, setQuota } from './store.ts'

const QUOTA = 1_000
const GIB = 1024 ** 3
const now = new Date()
const log = createLog({ level: 'silent' })

function groupOf(network: number, address: number): Buffer {
  const group = Buffer.alloc(4)
  group.writeUInt32BE(network * 2 ** 15 + address)
  return group
}

/** Opens a quota of 1,000 bytes for each account, where new customers register from any address of any network. */
async function openQuota(t: TestContext, { quotaBytes }: { quotaBytes: number | undefined } = { quotaBytes: QUOTA }) {
  const database = openDatabase(await createDatabase(t), log)
  t.after(() => database.close())
  const { db } = database
  const quota = createStorageQuota({ db, log, quotaBytes, charges: [] })
  t.after(() => quota.close())
  const inTransaction = <T>(work: (trx: Trx) => Promise<T>): Promise<T> => db.transaction().execute(work)
  const register = async (network: number, address = 1): Promise<string> => {
    const id = newId('user')
    await inTransaction(async (trx) => {
      await sql`insert into users (id, email, role, created_at, updated_at)
        values (${id}, ${`${id}@example.com`}, 'customer', ${now}, ${now})`.execute(trx)
      await noteNewcomer(trx, id, groupOf(network, address))
      await sql`insert into storage_usage (owner_id, bytes, reconciled_at) values (${id}, 0, ${now})`.execute(trx)
    })
    return id
  }
  const reserve = (ownerId: string, bytes: number) => quota.reserve(ownerId, { least: bytes, wanted: bytes })
  const save = (ownerId: string, bytes: number) => inTransaction((trx) => quota.charge(trx, ownerId, bytes))
  const owe = (ownerId: string, bytes: number) =>
    inTransaction((trx) => quota.unpaid.charge(trx, { ownerId, subject: newId('order'), bytes, now }))
  const tryToOwe = (ownerId: string, bytes: number) =>
    inTransaction((trx) => quota.unpaid.tryCharge(trx, { ownerId, subject: newId('order'), bytes, now }))
  return { db, quota, inTransaction, register, reserve, save, owe, tryToOwe }
}

async function assertFull(work: Promise<unknown>, members: { used: number; quota: number }): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String(error))
    assert.deepEqual([error.status, error.code], [413, 'storage_quota_exceeded'])
    assert.deepEqual(error.extras.members, members)
    assert.match(error.extras.detail ?? '', /^All new customers of your network/)
    return true
  })
}

test('the new customers of an IP address have a limit together, whatever they store, and other owners have their own', async (t) => {
  const { inTransaction, register, reserve, save, owe, tryToOwe } = await openQuota(t)
  for (let n = 0; n < 2; n += 1) await reserve(await register(1), QUOTA)
  await save(await register(1), QUOTA)
  await owe(await register(1), QUOTA)
  const [last, paying] = [await register(1), await register(1)]
  await save(last, QUOTA - 1)
  const full = { used: 5 * QUOTA - 1, quota: 5 * QUOTA }
  await assertFull(reserve(await register(1), 2), full)
  await assertFull(save(await register(1), 2), full)
  await assertFull(owe(paying, 2), full)
  assert.deepEqual([await tryToOwe(last, 2), await tryToOwe(last, 1)], [false, true])
  await save(await register(1, 2), 1)
  await save(await register(2), QUOTA)
  await save(newId('user'), QUOTA)
  await reserve(newGuestId('usr', groupOf(1, 1)), QUOTA)
  await inTransaction((trx) => forgetNewcomer(trx, paying))
  await owe(paying, QUOTA)
})

test('the new customers of a whole network have a limit together, also at once', async (t) => {
  const { db, register, reserve } = await openQuota(t)
  for (let address = 1; address <= 9; address += 1) await reserve(await register(1, address), QUOTA)
  const last = [await register(1, 10), await register(1, 11)]
  let both: Promise<PromiseSettledResult<unknown>[]> | undefined
  await db.transaction().execute(async (trx) => {
    await sql`lock table storage_reservations in share mode`.execute(trx)
    both = Promise.allSettled(last.map((ownerId) => reserve(ownerId, 600)))
    await untilBlocked(db, 2)
  })
  assert.deepEqual((await both)?.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  await assertFull(reserve(await register(1, 12), 401), { used: 9_600, quota: 10 * QUOTA })
  await reserve(await register(2), QUOTA)
})

test('new customers with a quota of their own neither count in their network nor have its limit', async (t) => {
  const { inTransaction, register, reserve } = await openQuota(t)
  const trusted = await register(1)
  await reserve(trusted, QUOTA)
  await inTransaction((trx) => setQuota(trx, trusted, 100 * QUOTA))
  await reserve(trusted, 50 * QUOTA)
  for (let n = 0; n < 5; n += 1) await reserve(await register(1), QUOTA)
  await assertFull(reserve(await register(1), 1), { used: 5 * QUOTA, quota: 5 * QUOTA })
  await reserve(trusted, 49 * QUOTA)
})

test('files of new customers need room in their network when they are created', async (t) => {
  const { db, quota, inTransaction, register, reserve } = await openQuota(t)
  for (let n = 0; n < 4; n += 1) await reserve(await register(1), QUOTA)
  const ownerId = await register(1)
  const lease = { ownerId, subject: 'lease', now }
  await inTransaction((trx) => quota.unpaid.charge(trx, { ...lease, bytes: QUOTA }))
  await quota.unpaid.requireRoomFor(db, lease)
  await inTransaction((trx) => recordUsage(trx, ownerId, 1))
  await assertFull(quota.unpaid.requireRoomFor(db, lease), { used: 5 * QUOTA + 1, quota: 5 * QUOTA })
})

test('without a quota, new customers have no limit together', async (t) => {
  const { register, reserve } = await openQuota(t, { quotaBytes: undefined })
  await reserve(await register(1), 1e15)
  await reserve(await register(1), 1e15)
})

test('what a guest stored is not moved to a new customer whose network has no room for it', async (t) => {
  const { quota, inTransaction, register, reserve } = await openQuota(t)
  for (let n = 0; n < 5; n += 1) await reserve(await register(1), QUOTA)
  const ownerId = await register(1)
  const move = inTransaction(async (trx) => {
    await recordUsage(trx, ownerId, 1)
    await quota.requireWithin(trx, ownerId, now)
  })
  await assertFull(move, { used: 5 * QUOTA + 1, quota: 5 * QUOTA })
})

// All new customers of an office save their drafts at the same time.
test('new customers of a network with ample room save without waiting for each other', async (t) => {
  const { db, register, save, reserve } = await openQuota(t, { quotaBytes: GIB })
  const [one, other] = [await register(1), await register(1)]
  await save(one, 1_000)
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('storage of newcomers ' || left(network, 3), 0))
      from newcomers limit 1`.execute(trx)
    await save(other, 1_000)
    const upload = reserve(other, 1_000)
    await untilBlocked(db)
    upload.catch(() => undefined)
  })
})

test('what new customers have stored counts in their network for a day after they delete their account', async (t) => {
  const { db, inTransaction, register, save, reserve } = await openQuota(t)
  const leave = (ownerId: string) =>
    inTransaction(async (trx) => {
      await recordFormerUse(trx, { ownerId, name: ownerId })
      await keepFormerUseForNetwork(trx, ownerId)
      await forgetNewcomer(trx, ownerId)
      await deleteUsage(trx, ownerId)
    })
  for (let n = 0; n < 5; n += 1) {
    const ownerId = await register(1)
    await save(ownerId, QUOTA)
    await leave(ownerId)
  }
  await assertFull(reserve(await register(1), 1), { used: 5 * QUOTA, quota: 5 * QUOTA })
  await reserve(await register(2), QUOTA)
  await sql`update storage_former_use set counts_until = now()`.execute(db)
  await reserve(await register(1), QUOTA)
})

/** Sizes beside which what a closed account may add is small. */
const LARGE = 1_000_000
const UPLOAD = 300_000

test('an upload that is in progress while its guest is claimed stays within what it has reserved', async (t) => {
  const { quota, inTransaction, register, reserve } = await openQuota(t, { quotaBytes: LARGE })
  const [guest, account] = [newGuestId('usr', groupOf(1, 1)), await register(2)]
  const [small, large] = [await reserve(guest, UPLOAD), await reserve(guest, UPLOAD)]
  await inTransaction((trx) => moveUsage(trx, guest, account))
  assert.equal((await quota.read(account)).used, 2 * UPLOAD)
  await assert.rejects(large.cover(2 * UPLOAD), (error) => error instanceof Problem && error.status === 413)
  await inTransaction(async (trx) => {
    await recordUsage(trx, guest, UPLOAD)
    await small.settle(trx, UPLOAD)
  })
  await assert.rejects(
    inTransaction((trx) => quota.charge(trx, guest, UPLOAD)),
    (error) => error instanceof Problem && error.status === 413,
  )
  assert.equal((await quota.read(account)).used, UPLOAD)
})

// Counting reads all documents of the account, and all events would wait for the transaction that moves.
test('a move adds what was stored, and leaves the next count of the account to the job', async (t) => {
  const { db, quota, inTransaction, register } = await openQuota(t)
  const [guest, account] = [newGuestId('usr', groupOf(1, 1)), await register(2)]
  const move = () => inTransaction((trx) => moveUsage(trx, guest, account))
  const countedAt = async (): Promise<Date | null | undefined> =>
    (await db.selectFrom('storage_usage').select('reconciled_at').where('owner_id', '=', account).execute())[0]
      ?.reconciled_at
  const add = (bytes: number) => inTransaction((trx) => recordUsage(trx, guest, bytes))
  await quota.read(account)
  const first = await countedAt()
  await move()
  assert.deepEqual(await countedAt(), first)
  await add(2)
  await move()
  await inTransaction((trx) => quota.requireWithin(trx, account, now))
  assert.ok(Number(await countedAt()) < 86_400_000)
  assert.equal((await quota.read(account)).used, 2)
  assert.deepEqual(await listToReconcile(db, 10), [account])
  await add(3)
  await move()
  assert.equal((await quota.read(account)).used, 5)
})

test('uploads in progress count for the network when their account is deleted, and then store nothing more', async (t) => {
  const { inTransaction, register, save, reserve } = await openQuota(t, { quotaBytes: LARGE })
  const ownerId = await register(1)
  const [first, second] = [await reserve(ownerId, UPLOAD), await reserve(ownerId, UPLOAD)]
  await inTransaction(async (trx) => {
    await recordFormerUse(trx, { ownerId, name: ownerId })
    await keepFormerUseForNetwork(trx, ownerId)
    await forgetNewcomer(trx, ownerId)
    await closeUsage(trx, ownerId)
  })
  const isFull = (error: unknown) => error instanceof Problem && error.status === 413
  await assert.rejects(first.cover(2 * UPLOAD), isFull)
  const store = (upload: typeof first) =>
    inTransaction(async (trx) => {
      await recordUsage(trx, ownerId, UPLOAD)
      await upload.settle(trx, UPLOAD)
    })
  await store(first)
  await inTransaction((trx) => deleteUsage(trx, ownerId))
  await assert.rejects(store(second), isFull)
  await assert.rejects(save(ownerId, UPLOAD), isFull)
  for (let n = 0; n < 4; n += 1) await save(await register(1), LARGE)
  const full = { used: 4 * LARGE + 2 * UPLOAD, quota: 5 * LARGE }
  await assertFull(reserve(await register(1), LARGE - 2 * UPLOAD + 1), full)
})
