import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, untilBlocked } from '../../../../test/harness.ts'
import { newId } from '../../../../test/ids.ts'
import { storedAssetBytes } from '../../../assets/store.ts'
import { openDatabase, type Trx } from '../../db/index.ts'
import { newGuestId } from '../../fair-share.ts'
import { Problem } from '../../problem.ts'
import { createLog } from '../../telemetry/log.ts'
import type { StorageReferences } from '../objects/references.ts'
import { storageAccountData } from './account-data.ts'
import { quotaJobs } from './jobs.ts'
import { createStorageQuota } from './quota.ts'
import {
  chargeFor,
  reconcileUsage,
  recordUpload,
  recordUsage,
  releaseLeftReservations,
  releaseUpload,
  setQuota,
} from './store.ts'
import { createUnpaidBound } from './unpaid.ts'

const QUOTA = 1_000
const log = createLog({ level: 'silent' })
const charges = [{ name: 'assets', query: storedAssetBytes }]

/** Opens a quota of 1,000 bytes for each account, in which only assets count. */
async function openQuota(t: TestContext, quotaBytes: number | undefined = QUOTA) {
  const poolConfig = await createDatabase(t)
  const database = openDatabase(poolConfig, log)
  t.after(() => database.close())
  const { db } = database
  const quota = createStorageQuota({ db, log, quotaBytes, charges })
  t.after(() => quota.close())
  const inTransaction = <T>(work: (trx: Trx) => Promise<T>): Promise<T> => db.transaction().execute(work)
  const reserve = (ownerId: string, bytes: number) => quota.reserve(ownerId, { least: bytes, wanted: bytes })
  const reservations = async (): Promise<number[]> => {
    const { rows } = await sql<{ bytes: number }>`select bytes from storage_reservations order by bytes`.execute(db)
    return rows.map(({ bytes }) => bytes)
  }
  const expireAll = () => sql`update storage_reservations set expires_at = now() - interval '1 s'`.execute(db)
  return { poolConfig, database, db, quota, inTransaction, reserve, reservations, expireAll, ownerId: newId('user') }
}

const anyHash = (): string => createHash('sha256').update(randomBytes(16)).digest('hex')

/** Inserts only the row of an asset, as a program without quota support would do. */
async function insertAsset(trx: Trx, ownerId: string, bytes: number, sha256 = anyHash()): Promise<void> {
  await sql`
    insert into assets (id, owner_id, sha256, bytes, media_type, width_px, height_px, has_alpha, color_space, orientation, created_at)
    values (${newId('asset')}, ${ownerId}, ${sha256}, ${bytes}, 'image/png', 1, 1, false, 'srgb', 1, now())`.execute(
    trx,
  )
}

async function addAsset(trx: Trx, ownerId: string, bytes: number, sha256 = anyHash()): Promise<string> {
  await insertAsset(trx, ownerId, bytes, sha256)
  await recordUpload(trx, { ownerId, sha256, bytes })
  return sha256
}

async function assertExceeded(work: Promise<unknown>, used: number): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String(error))
    assert.deepEqual([error.status, error.code], [413, 'storage_quota_exceeded'])
    assert.deepEqual(error.extras.members, { used, quota: QUOTA })
    return true
  })
}

test('reserved room is not given twice, and is free after its release', async (t) => {
  const { reserve, reservations, quota, ownerId } = await openQuota(t)
  const first = await reserve(ownerId, 600)
  await assertExceeded(reserve(ownerId, 401), 600)
  assert.deepEqual(await quota.read(ownerId), { used: 600, quota: QUOTA })
  assert.deepEqual((await quota.read(newId('user'))).used, 0)
  const second = await reserve(ownerId, 400)
  await first.release()
  await first.release()
  await second.release()
  assert.deepEqual(await reservations(), [])
  await reserve(ownerId, QUOTA)
})

// Without the lock on the row of the account, both would read the same state before either writes.
test('two concurrent reservations together stay within the quota', async (t) => {
  const { db, reserve, reservations, ownerId } = await openQuota(t)
  let both: Promise<PromiseSettledResult<unknown>[]> | undefined
  await db.transaction().execute(async (trx) => {
    await sql`lock table storage_reservations in share mode`.execute(trx)
    both = Promise.allSettled([reserve(ownerId, 600), reserve(ownerId, 600)])
    await untilBlocked(db, 2)
  })
  const outcomes = (await both)?.map(({ status }) => status)
  assert.deepEqual(outcomes?.toSorted(), ['fulfilled', 'rejected'])
  assert.deepEqual(await reservations(), [600])
})

// Without the lock on the row of the account, both would be checked before either commits.
test('of two concurrent additions that together exceed the quota, one is rejected', async (t) => {
  const { db, inTransaction, quota, ownerId } = await openQuota(t)
  let both: Promise<PromiseSettledResult<unknown>[]> | undefined
  await quota.read(ownerId)
  await db.transaction().execute(async (trx) => {
    await sql`select from storage_usage where owner_id = ${ownerId} for update`.execute(trx)
    const add = (sha256: string) =>
      inTransaction(async (adding) => {
        await insertAsset(adding, ownerId, 600, sha256)
        await quota.charge(adding, ownerId, 600)
      })
    both = Promise.allSettled([add(anyHash()), add(anyHash())])
    await untilBlocked(db, 2)
  })
  const outcomes = (await both)?.map(({ status }) => status)
  assert.deepEqual(outcomes?.toSorted(), ['fulfilled', 'rejected'])
  assert.deepEqual(await quota.read(ownerId), { used: 600, quota: QUOTA })
})

test('a record is rejected if an upload has reserved the room; storing less is always allowed', async (t) => {
  const { inTransaction, quota, reserve, ownerId } = await openQuota(t)
  await inTransaction((trx) => addAsset(trx, ownerId, 500))
  const upload = await reserve(ownerId, 400)
  await assertExceeded(
    inTransaction((trx) => quota.charge(trx, ownerId, 101)),
    900,
  )
  await inTransaction((trx) => quota.charge(trx, ownerId, 100))
  await inTransaction((trx) => recordUsage(trx, ownerId, 5_000))
  await inTransaction((trx) => quota.charge(trx, ownerId, -1))
  await assertExceeded(
    inTransaction((trx) => quota.charge(trx, ownerId, 1)),
    5_999,
  )
  await upload.release()
})

test('a growing upload reserves more room, up to the last byte of the quota', async (t) => {
  const { quota, reserve, ownerId, reservations } = await openQuota(t)
  const upload = await quota.reserve(ownerId, { least: 1, wanted: 300 })
  await upload.cover(300)
  assert.deepEqual(await reservations(), [300])
  await upload.cover(301)
  assert.deepEqual(await reservations(), [QUOTA])
  await assertExceeded(upload.cover(QUOTA + 1), 0)
  await upload.release()
  const full = await reserve(ownerId, QUOTA)
  await assertExceeded(quota.reserve(ownerId, { least: 1, wanted: 10 }), QUOTA)
  await full.release()
})

test('settling replaces a reservation by the recorded bytes', async (t) => {
  const { inTransaction, quota, reserve, reservations, ownerId } = await openQuota(t)
  const upload = await reserve(ownerId, 600)
  await inTransaction(async (trx) => {
    await addAsset(trx, ownerId, 550)
    await upload.settle(trx, 550)
  })
  await upload.release()
  assert.deepEqual([await reservations(), await quota.read(ownerId)], [[], { used: 550, quota: QUOTA }])
  const duplicate = await reserve(ownerId, 300)
  await inTransaction((trx) => duplicate.settle(trx, 0))
  assert.deepEqual([await reservations(), await quota.read(ownerId)], [[], { used: 550, quota: QUOTA }])
})

test('a settlement that is rolled back leaves the reservation to be released', async (t) => {
  const { inTransaction, reserve, reservations, ownerId } = await openQuota(t)
  const upload = await reserve(ownerId, 600)
  const failing = inTransaction(async (trx) => {
    await upload.settle(trx, 600)
    throw new Error('the record was refused')
  })
  await assert.rejects(failing, /the record was refused/)
  assert.deepEqual(await reservations(), [600])
  await upload.release()
  assert.deepEqual(await reservations(), [])
})

test('an upload whose reservation expired is rejected if the room is taken', async (t) => {
  const { inTransaction, quota, reserve, expireAll, ownerId } = await openQuota(t)
  const late = await reserve(ownerId, 600)
  await expireAll()
  const next = await reserve(ownerId, 600)
  const settleLate = inTransaction(async (trx) => {
    await addAsset(trx, ownerId, 600)
    await late.settle(trx, 600)
  })
  await assertExceeded(settleLate, 600)
  await next.release()
  assert.deepEqual(await quota.read(ownerId), { used: 0, quota: QUOTA })
})

test('a reservation of a killed process expires and is not renewed by other processes', async (t) => {
  const { poolConfig, db, quota, reserve, reservations, database, ownerId } = await openQuota(t)
  const fixture = join(import.meta.dirname, 'reserving.fixture.ts')
  const child = spawn(process.execPath, [fixture, JSON.stringify(poolConfig), ownerId, '700'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await assertExceeded(reserve(ownerId, 400), 700)
  // The process of this test renews the reservation.
  const other = await reserve(newId('user'), 300)
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from expires_at - now())::float8 as seconds from storage_reservations`.execute(db)
  assert.ok((rows[0]?.seconds ?? Number.POSITIVE_INFINITY) <= 120)
  await sql`update storage_reservations set expires_at = expires_at - interval '120 s'`.execute(db)
  await quota.renew()
  const own = await reserve(ownerId, 400)
  await runJob({ database })
  assert.deepEqual(await reservations(), [300, 400])
  for (const reservation of [own, other]) await reservation.release()
})

test('a reservation in use is renewed, and a released one is not', async (t) => {
  const { db, quota, reserve, ownerId } = await openQuota(t)
  const kept = await reserve(ownerId, 1)
  await sql`update storage_reservations set expires_at = now() + interval '1 s'`.execute(db)
  await quota.renew()
  const { rows } = await sql`select from storage_reservations where expires_at > now() + interval '60 s'`.execute(db)
  assert.equal(rows.length, 1)
  await kept.release()
})

// If the renewal waited for a row of the erasure while the erasure waits for a row of the renewal, both would deadlock.
test('the reservations of other accounts are renewed while an account is erased', async (t) => {
  const { db, inTransaction, quota, reserve, ownerId } = await openQuota(t)
  const other = newId('user')
  for (const owner of [ownerId, other]) await reserve(owner, 1)
  await sql`update storage_reservations set expires_at = now() + interval '1 s'`.execute(db)
  await inTransaction(async (trx) => {
    await storageAccountData(quota).erase(trx, ownerId)
    await quota.renew()
  })
  const { rows } = await sql`
    select owner_id from storage_reservations where expires_at > now() + interval '60 s'`.execute(db)
  assert.deepEqual(rows, [{ owner_id: other }])
})

test('if no other process is running, all reservations can be released', async (t) => {
  const { db, reserve, reservations, ownerId } = await openQuota(t)
  await reserve(ownerId, 600)
  await releaseLeftReservations(db)
  assert.deepEqual(await reservations(), [])
})

test('without a quota any amount fits, and the usage is still recorded', async (t) => {
  const poolConfig = await createDatabase(t)
  const { db, close } = openDatabase(poolConfig, log)
  t.after(close)
  const quota = createStorageQuota({ db, log, quotaBytes: undefined, charges })
  t.after(() => quota.close())
  const ownerId = newId('user')
  const upload = await quota.reserve(ownerId, { least: 1e12, wanted: 1e12 })
  await upload.cover(2e12)
  await db.transaction().execute(async (trx) => {
    await addAsset(trx, ownerId, 1e12)
    await upload.settle(trx, 1e12)
  })
  assert.deepEqual(await quota.read(ownerId), { used: 1e12, quota: null })
})

function runJob({ database }: Pick<Awaited<ReturnType<typeof openQuota>>, 'database'>, named: readonly string[] = []) {
  const references: StorageReferences[] = [
    { name: 'named', columns: [], query: () => sql`select unnest(${[...named]}::text[]) as sha256` },
  ]
  const [job] = quotaJobs({ database, log, charges, references })
  return job?.handle({})
}

test('bytes that an account stored before its usage row existed count from the first upload on', async (t) => {
  const { inTransaction, quota, reserve, ownerId } = await openQuota(t)
  await inTransaction((trx) => insertAsset(trx, ownerId, 700))
  await assertExceeded(reserve(ownerId, 301), 700)
  const other = newId('user')
  await inTransaction((trx) => insertAsset(trx, other, 800))
  const add = inTransaction(async (trx) => {
    await insertAsset(trx, other, 300)
    await quota.charge(trx, other, 300)
  })
  await assertExceeded(add, 800)
  assert.equal((await quota.read(other)).used, 800)
})

test('reconciliation corrects the recorded usage of an account', async (t) => {
  const { db, database, inTransaction, quota, ownerId } = await openQuota(t)
  await inTransaction((trx) => addAsset(trx, ownerId, 100))
  await sql`update storage_usage set bytes = 7777, reconciled_at = now() - interval '2 days'`.execute(db)
  assert.equal((await quota.read(ownerId)).used, 7777)
  await runJob({ database })
  assert.equal((await quota.read(ownerId)).used, 100)
  await sql`update storage_usage set bytes = 7777`.execute(db)
  await runJob({ database })
  assert.equal((await quota.read(ownerId)).used, 7777, 'once a day is enough')
})

// If the correction were written as a sum and not added as a difference, it would lose concurrent changes.
test('a record that commits while its account is reconciled stays counted', async (t) => {
  const { db, inTransaction, quota, ownerId } = await openQuota(t)
  await inTransaction((trx) => addAsset(trx, ownerId, 100))
  await sql`update storage_usage set bytes = 150`.execute(db)
  let reconciling: Promise<number | undefined> | undefined
  await inTransaction(async (trx) => {
    await addAsset(trx, ownerId, 30)
    reconciling = reconcileUsage(db, charges, ownerId)
    await untilBlocked(db)
  })
  assert.equal(await reconciling, -50)
  assert.equal((await quota.read(ownerId)).used, 130)
})

// Without the comparison of timestamps, both would add the same difference.
test('an account that is reconciled twice concurrently is corrected once', async (t) => {
  const { db, inTransaction, quota, ownerId } = await openQuota(t)
  await inTransaction((trx) => addAsset(trx, ownerId, 100))
  await sql`update storage_usage set bytes = 150`.execute(db)
  let both: Promise<(number | undefined)[]> | undefined
  await inTransaction(async (trx) => {
    await sql`select from storage_usage for update`.execute(trx)
    both = Promise.all([reconcileUsage(db, charges, ownerId), reconcileUsage(db, charges, ownerId)])
    await untilBlocked(db, 2)
  })
  assert.deepEqual((await both)?.toSorted(), [-50, undefined])
  assert.equal((await quota.read(ownerId)).used, 100)
})

/** Moves the time at which releases are due into the past. */
const age = ({ db }: Pick<Awaited<ReturnType<typeof openQuota>>, 'db'>) =>
  sql`update storage_releases set due_at = due_at - interval '24 hours'`.execute(db)

async function openWithDeleted(t: TestContext) {
  const all = await openQuota(t)
  const { db, inTransaction, quota, ownerId } = all
  // The first read reconciles the account. From here on, only recorded changes count.
  await quota.read(ownerId)
  const sha256 = await inTransaction((trx) => addAsset(trx, ownerId, 600))
  await sql`insert into storage_objects (sha256, bytes) values (${sha256}, 600)`.execute(db)
  await inTransaction(async (trx) => {
    await sql`delete from assets where sha256 = ${sha256}`.execute(trx)
    await releaseUpload(trx, { ownerId, sha256, bytes: 600 })
  })
  return { ...all, sha256 }
}

test('a deleted upload counts until its file was collected, and for a day', async (t) => {
  const all = await openWithDeleted(t)
  const { db, quota, reserve, ownerId } = all
  await runJob(all)
  await assertExceeded(reserve(ownerId, 401), 600)
  await age(all)
  await runJob(all)
  assert.equal((await quota.read(ownerId)).used, 600, 'the file is still there')
  await sql`delete from storage_objects`.execute(db)
  await runJob(all)
  assert.equal((await quota.read(ownerId)).used, 0)
})

test('a file that was collected early counts for a day, so that an account cannot find out whether others have it', async (t) => {
  const all = await openWithDeleted(t)
  await sql`delete from storage_objects`.execute(all.db)
  await runJob(all)
  assert.equal((await all.quota.read(all.ownerId)).used, 600)
})

test('a deleted upload that another account also has counts for a day', async (t) => {
  const all = await openWithDeleted(t)
  await runJob(all, [all.sha256])
  assert.equal((await all.quota.read(all.ownerId)).used, 600)
  await age(all)
  await runJob(all, [all.sha256])
  assert.equal((await all.quota.read(all.ownerId)).used, 0)
})

test('a deleted upload that is uploaded again counts once', async (t) => {
  const all = await openWithDeleted(t)
  const { db, inTransaction, quota, ownerId, sha256 } = all
  await inTransaction((trx) => addAsset(trx, ownerId, 600, sha256))
  assert.equal((await quota.read(ownerId)).used, 600)
  await age(all)
  await runJob(all)
  await sql`update storage_usage set reconciled_at = null`.execute(db)
  assert.equal((await quota.read(ownerId)).used, 600)
})

test('bytes in the database that expire count until then', async (t) => {
  const all = await openQuota(t)
  const { db, inTransaction, quota, ownerId } = all
  await inTransaction((trx) => chargeFor(trx, { ownerId, bytes: 300, seconds: 24 * 3600 }))
  await sql`update storage_usage set reconciled_at = null`.execute(db)
  assert.equal((await quota.read(ownerId)).used, 300)
  await runJob(all)
  assert.equal((await quota.read(ownerId)).used, 300)
  await age(all)
  await runJob(all)
  assert.equal((await quota.read(ownerId)).used, 0)
})

test('the guests of one network have a limit together, also at once, and other networks and accounts have their own', async (t) => {
  const { db, inTransaction, quota, reserve, ownerId } = await openQuota(t, 1_000 * 1024 * 1024)
  const MIB = 1024 * 1024
  const guestOf = (network: number) => newGuestId('usr', Uint8Array.of(network, 0, 0, 0))
  await Promise.all(Array.from({ length: 9 }, () => reserve(guestOf(1), 50 * MIB)))
  let both: Promise<PromiseSettledResult<unknown>[]> | undefined
  await db.transaction().execute(async (trx) => {
    await sql`lock table storage_reservations in share mode`.execute(trx)
    both = Promise.allSettled([reserve(guestOf(1), 50 * MIB), reserve(guestOf(1), 50 * MIB)])
    await untilBlocked(db, 2)
  })
  assert.deepEqual((await both)?.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  await assert.rejects(reserve(guestOf(1), 1), (error) => {
    assert.ok(error instanceof Problem, String(error))
    assert.deepEqual(
      [error.code, error.extras.members],
      ['storage_quota_exceeded', { used: 500 * MIB, quota: 500 * MIB }],
    )
    return true
  })
  const unpaid = createUnpaidBound(600 * MIB)
  const later = { subject: 'ord_1', bytes: 1, now: new Date() }
  await assert.rejects(
    inTransaction((trx) => unpaid.charge(trx, { ownerId: guestOf(1), ...later })),
    Problem,
  )
  assert.equal(await inTransaction((trx) => unpaid.tryCharge(trx, { ownerId: guestOf(1), ...later })), false)
  const save = async (trx: Trx) => {
    const guest = guestOf(1)
    await setQuota(trx, guest, 50 * MIB)
    await quota.charge(trx, guest, 1)
  }
  await assert.rejects(inTransaction(save), Problem)
  await reserve(guestOf(2), 50 * MIB)
  await reserve(ownerId, 600 * MIB)
})

test('the guests of a whole network have a limit together, paid or not, and other networks have their own', async (t) => {
  const { db, inTransaction, quota, reserve } = await openQuota(t, 10_000 * 1024 * 1024)
  const MIB = 1024 * 1024
  const guestOf = (network: number, address: number) => {
    const group = Buffer.alloc(4)
    group.writeUInt32BE(network * 2 ** 15 + address)
    return newGuestId('usr', group)
  }
  const expected = (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.deepEqual(error.extras.members, { used: 2048 * MIB, quota: 2048 * MIB })
    return true
  }
  const unpaid = createUnpaidBound(600 * MIB)
  const now = new Date()
  const owe = (ownerId: string, bytes: number) =>
    inTransaction(async (trx) => {
      await setQuota(trx, ownerId, 600 * MIB)
      await unpaid.charge(trx, { ownerId, subject: ownerId, bytes, now })
    })
  for (const address of [1, 2]) await reserve(guestOf(1, address), 500 * MIB)
  await owe(guestOf(1, 3), 500 * MIB)
  const store = (ownerId: string, bytes: number) =>
    inTransaction(async (trx) => {
      await setQuota(trx, ownerId, 600 * MIB)
      await sql`update storage_usage set reconciled_at = now() where owner_id = ${ownerId}`.execute(trx)
      await quota.charge(trx, ownerId, bytes)
    })
  await store(guestOf(1, 4), 500 * MIB)
  let both: Promise<PromiseSettledResult<unknown>[]> | undefined
  await db.transaction().execute(async (trx) => {
    await sql`lock table storage_reservations in share mode`.execute(trx)
    both = Promise.allSettled([5, 6].map((address) => reserve(guestOf(1, address), 48 * MIB)))
    await untilBlocked(db, 2)
  })
  assert.deepEqual((await both)?.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  await assert.rejects(reserve(guestOf(1, 7), 1), expected)
  await assert.rejects(owe(guestOf(1, 8), 1), expected)
  await assert.rejects(store(guestOf(1, 9), 1), expected)
  await reserve(guestOf(2, 1), 50 * MIB)
})

test('a reservation of a guest gets what is left for its network', async (t) => {
  const { quota, reserve } = await openQuota(t, 1_000 * 1024 * 1024)
  const MIB = 1024 * 1024
  const guest = () => newGuestId('usr', Uint8Array.of(1, 0, 0, 0))
  await reserve(guest(), 499 * MIB)
  const last = await quota.reserve(guest(), { least: 1, wanted: 4 * MIB })
  await last.cover(MIB)
  await assert.rejects(last.cover(MIB + 1), (error) => {
    assert.ok(error instanceof Problem, String(error))
    assert.deepEqual(error.extras.members, { used: 499 * MIB, quota: 500 * MIB })
    return true
  })
})

test('room for what another account stores counts reservations and unpaid files of both, before anything moves', async (t) => {
  const { inTransaction, quota, reserve, ownerId } = await openQuota(t)
  const from = newId('user')
  const now = new Date()
  const check = () => inTransaction((trx) => quota.requireRoomFor(trx, ownerId, from, now))
  await inTransaction((trx) => addAsset(trx, from, 500))
  const upload = await reserve(ownerId, 600)
  await assertExceeded(check(), 600)
  await upload.release()
  await inTransaction((trx) => addAsset(trx, ownerId, 200))
  const ofOther = await reserve(from, 400)
  await assertExceeded(check(), 200)
  await ofOther.release()
  await check()
  const owe = (owner: string, subject: string) =>
    inTransaction((trx) => quota.unpaid.charge(trx, { ownerId: owner, subject, bytes: 600, now }))
  await owe(ownerId, 'one')
  await check()
  await owe(from, 'other')
  await assertExceeded(check(), 1_200)
})
