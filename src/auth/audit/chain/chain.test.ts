import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { createRequestContext, runInRequest } from '../../../platform/concurrency/request-context.ts'
import { createLog } from '../../../platform/telemetry/log.ts'
import { createKeyring } from '../../keys/keyring.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { toRow } from '../store.ts'
import { pruneSecurityEvents } from './retention.ts'
import { sealBatch, sealEvents } from './seal.ts'
import { createSealer } from './sealer.ts'
import { type ChainPoint, countUnsealed } from './store.ts'
import { type SoundRecord, verifyRecord } from './verify.ts'

const DAY = 86_400

interface Recorded {
  service: TestService
  keys: KeyDerivation
  seal(): Promise<boolean>
  verify(head?: ChainPoint): ReturnType<typeof verifyRecord>
}

async function start(t: TestContext): Promise<Recorded> {
  const service = await startService(t)
  const { keys } = service.services.auth.services
  return {
    service,
    keys,
    seal: () => sealEvents(service.db, keys, { wait: true }),
    verify: (head) => verifyRecord(service.db, keys, head),
  }
}

/** Adds events in one statement. */
async function addEvents({ service }: Recorded, count: number, userId = 'usr_somebody'): Promise<void> {
  const event = {
    type: 'sign_in',
    userId,
    client: { ip: '203.0.113.7', userAgent: 'a browser', deviceCookie: undefined },
  } as const
  const rows = Array.from({ length: count }, () => toRow(event, service.clock.now()))
  await service.db.insertInto('security_events').values(rows).execute()
}

async function requireSound(recorded: Recorded, head?: ChainPoint): Promise<SoundRecord> {
  const verdict = await recorded.verify(head)
  assert.ok(verdict.isSound, verdict.isSound ? '' : verdict.message)
  return verdict
}

async function count({ service }: Recorded, which: 'all' | 'unsealed' = 'all'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from security_events where ${which === 'all'} or sequence is null`.execute(service.db)
  return rows[0]?.count ?? -1
}

test('LG-1: recorded events are sealed soon after, and at the latest when the service closes', async (t) => {
  const recorded = await start(t)
  const { service } = recorded
  await service.register()
  assert.ok((await count(recorded)) >= 3)
  await until('the seals', async () => (await count(recorded, 'unsealed')) === 0)
  const { auth } = service.services
  await auth.services.audit.record(service.db, { type: 'sign_out', userId: 'usr_somebody', client: null })
  await auth.close()
  assert.equal(await count(recorded, 'unsealed'), 0)
  const { rows, head } = await requireSound(recorded)
  assert.equal(rows, await count(recorded))
  assert.equal(head.sequence, rows)
})

test('LG-1: a log of several batches is sealed and verified to its end', async (t) => {
  const recorded = await start(t)
  await addEvents(recorded, 2500)
  assert.equal(await recorded.seal(), true)
  const { rows, first, last, head } = await requireSound(recorded)
  assert.deepEqual([rows, first?.sequence, last?.sequence, head.sequence], [2500, 1, 2500, 2500])
})

test('LG-1: the database rejects changes and deletions of events, sealed or not', async (t) => {
  const recorded = await start(t)
  const { service } = recorded
  await addEvents(recorded, 2)
  const statements = [
    sql`update security_events set type = 'sign_out'`,
    sql`update security_events set details = '{"knownDevice":true}'`,
    sql`update security_events set recorded_at = now()`,
    sql`update security_events set personal = '{}'`,
    sql`update security_events set personal = null`,
    sql`delete from security_events`,
    sql`truncate security_events`,
  ]
  const refuseAll = async (): Promise<void> => {
    for (const statement of statements) {
      await assert.rejects(statement.execute(service.db), /security events are only ever added/)
    }
  }
  await refuseAll()
  // An unsealed event cannot be pruned, either.
  const unsealed = service.db.transaction().execute(async (trx) => {
    await sql`set local platen.audit_prune = 'on'`.execute(trx)
    await sql`delete from security_events`.execute(trx)
  })
  await assert.rejects(unsealed, /only ever added/)
  await recorded.seal()
  await refuseAll()
  await assert.rejects(sql`update security_events set sequence = null, seal = null`.execute(service.db), /only ever/)
  await assert.rejects(sql`update security_events set seal = '\\x00'`.execute(service.db), /only ever/)
  assert.equal(await count(recorded), 2)
})

/** Changes that an attacker can make in the database with its triggers, but without the secret of the service. */
const TAMPERINGS: readonly [what: string, statements: string[], fault: string][] = [
  ['the type of an event', [`update security_events set type = 'sign_out' where sequence = 3`], 'changed'],
  ['its result', [`update security_events set result = 'failure' where sequence = 3`], 'changed'],
  ['its details', [`update security_events set details = '{"a":1}' where sequence = 3`], 'changed'],
  ['the user', [`update security_events set user_id = 'usr_other' where sequence = 3`], 'changed'],
  ['the user, removed', [`update security_events set user_id = null where sequence = 3`], 'changed'],
  ['the actor', [`update security_events set actor = 'system' where sequence = 3`], 'changed'],
  ['the session', [`update security_events set session_id = 'ses_other' where sequence = 3`], 'changed'],
  ['the method', [`update security_events set method = 'totp' where sequence = 3`], 'changed'],
  ['the id', [`update security_events set id = 'aud_other' where sequence = 3`], 'changed'],
  [
    'the time',
    [`update security_events set recorded_at = recorded_at + interval '1 us' where sequence = 3`],
    'changed',
  ],
  ['the digest', [`update security_events set personal_digest = '\\x00' where sequence = 3`], 'changed'],
  ['the seal', [`update security_events set seal = '\\x00' where sequence = 3`], 'changed'],
  [
    'the address of the client',
    [`update security_events set personal = '{"ipAddress":"::1","userAgent":"x"}' where sequence = 3`],
    'personal_changed',
  ],
  [
    'a personal part that was removed',
    [`update security_events set personal = null, personal_salt = '\\x00' where sequence = 3`],
    'personal_changed',
  ],
  ['a row is missing', [`delete from security_events where sequence = 3`], 'missing'],
  ['the first row is missing', [`delete from security_events where sequence = 1`], 'missing'],
  [
    'a row is missing and the others were numbered anew',
    [
      `delete from security_events where sequence = 3`,
      `update security_events set sequence = 3 where sequence = 4`,
      `update security_events set sequence = 4 where sequence = 5`,
    ],
    'changed',
  ],
  [
    'two rows were exchanged',
    [
      `update security_events set sequence = 99 where sequence = 3`,
      `update security_events set sequence = 3 where sequence = 4`,
      `update security_events set sequence = 4 where sequence = 99`,
    ],
    'changed',
  ],
  [
    'a row was put in',
    [
      `insert into security_events select 'aud_forged', type, result, user_id, actor, session_id, method, details,
         personal, personal_salt, personal_digest, recorded_at, 6, seal from security_events where sequence = 5`,
    ],
    'changed',
  ],
  [
    'the beginning was cut off and the start moved',
    [
      `insert into security_chain_start select true, sequence, seal, seal from security_events where sequence = 2`,
      `delete from security_events where sequence <= 2`,
    ],
    'start_moved',
  ],
]

test('LG-1: changed, removed and inserted events are detected', async (t) => {
  const recorded = await start(t)
  const { service } = recorded
  await addEvents(recorded, 5)
  await recorded.seal()
  await sql`alter table security_events disable trigger user`.execute(service.db)
  await sql`create table kept as select * from security_events`.execute(service.db)
  for (const [what, statements, fault] of TAMPERINGS) {
    for (const statement of statements) await sql.raw(statement).execute(service.db)
    const verdict = await recorded.verify()
    assert.equal(verdict.isSound ? 'nothing' : verdict.fault, fault, what)
    await sql`delete from security_events`.execute(service.db)
    await sql`delete from security_chain_start`.execute(service.db)
    await sql`insert into security_events select * from kept`.execute(service.db)
    await requireSound(recorded)
  }
  await sql`update security_events set method = 'totp' where sequence in (4, 5)`.execute(service.db)
  const { rows } = await sql<{ id: string }>`select id from security_events where sequence = 4`.execute(service.db)
  const verdict = await recorded.verify()
  assert.match(
    verdict.isSound ? '' : verdict.message,
    new RegExp(`^The seal of row 4 \\(${rows[0]?.id}\\)`),
    'the first one is named',
  )
})

test('LG-1: a head stored elsewhere reveals a truncated or exchanged log', async (t) => {
  const recorded = await start(t)
  const { service } = recorded
  await addEvents(recorded, 3)
  await recorded.seal()
  const { head } = await requireSound(recorded)
  await addEvents(recorded, 3)
  await recorded.seal()
  await requireSound(recorded, head)
  const later = (await requireSound(recorded)).head
  const other = await recorded.verify({ ...head, seal: Buffer.alloc(32, 1) })
  assert.equal(other.isSound ? '' : other.fault, 'other_head')
  await sql`alter table security_events disable trigger user`.execute(service.db)
  await sql`delete from security_events where sequence > 4`.execute(service.db)
  // The remaining chain is intact, so only a head that was stored elsewhere reveals the missing events.
  await requireSound(recorded, head)
  const cut = await recorded.verify(later)
  assert.equal(cut.isSound ? '' : cut.fault, 'cut_off')
})

test('LG-1: a seal with another secret is not valid', async (t) => {
  const recorded = await start(t)
  await addEvents(recorded, 3)
  await sealEvents(recorded.service.db, createKeyring(Buffer.alloc(32), []), { wait: true })
  const verdict = await recorded.verify()
  assert.equal(verdict.isSound ? '' : verdict.fault, 'changed')
})

test('LG-1: two nodes that seal concurrently make one chain', async (t) => {
  const recorded = await start(t)
  const { service, keys } = recorded
  await addEvents(recorded, 3)
  const first = await service.db.startTransaction().execute()
  assert.equal(await sealBatch(first, keys, { wait: true }), 3)
  await addEvents(recorded, 2)
  assert.equal(
    await sealEvents(service.db, keys, { wait: false }),
    false,
    'whoever is in no hurry leaves it to the other',
  )
  const second = recorded.seal()
  await service.untilBlocked()
  await first.commit().execute()
  await second
  assert.equal((await requireSound(recorded)).rows, 5)
})

test('LG-1: sealing skips an event whose row is locked, and the next sealing includes it', async (t) => {
  const recorded = await start(t)
  const { service } = recorded
  await addEvents(recorded, 3)
  const held = await service.db.startTransaction().execute()
  await sql`update security_events set personal = null, personal_salt = null
    where id = (select min(id) from security_events)`.execute(held)
  await recorded.seal()
  assert.equal((await requireSound(recorded)).rows, 2)
  await held.commit().execute()
  await recorded.seal()
  const { rows, withoutPersonal } = await requireSound(recorded)
  assert.deepEqual([rows, withoutPersonal], [3, 1])
})

test('LG-1: erasing personal parts does not break the chain', async (t) => {
  const recorded = await start(t)
  const { service } = recorded
  await addEvents(recorded, 2, 'usr_leaving')
  await addEvents(recorded, 1)
  await recorded.seal()
  await sql`update security_events set personal = null, personal_salt = null where user_id = 'usr_leaving'`.execute(
    service.db,
  )
  const { rows, withoutPersonal } = await requireSound(recorded)
  assert.deepEqual([rows, withoutPersonal], [3, 2])
})

test('LG-1: expired events are removed from the start, and the rest stays a valid chain', async (t) => {
  const recorded = await start(t)
  const { service } = recorded
  const prune = async (): Promise<void> => {
    const job = service.services.auth.jobs.find(({ name }) => name === 'auth.prune_events')
    await job?.handle({})
  }
  await addEvents(recorded, 1500)
  await recorded.seal()
  const { head } = await requireSound(recorded)
  service.clock.shift(300 * DAY)
  await addEvents(recorded, 2)
  await prune()
  assert.equal(await count(recorded), 1502, 'unsealed ones, and those within their time, stay')
  await recorded.seal()
  service.clock.shift(101 * DAY)
  await prune()
  const { rows, first, head: later } = await requireSound(recorded)
  assert.deepEqual([rows, first?.sequence], [2, 1501])
  await requireSound(recorded, head)
  await addEvents(recorded, 1)
  await recorded.seal()
  await requireSound(recorded, later)
  service.clock.shift(401 * DAY)
  await prune()
  const emptied = await requireSound(recorded)
  assert.deepEqual([emptied.rows, emptied.head.sequence], [0, 1503])
  const old = await recorded.verify(head)
  assert.equal(old.isSound ? '' : old.fault, 'head_too_old')
  await addEvents(recorded, 1)
  await recorded.seal()
  assert.equal((await requireSound(recorded)).first?.sequence, 1504)
})

test('LG-1: an event recorded out of order holds back the removal of later ones', async (t) => {
  const recorded = await start(t)
  const { service, keys } = recorded
  await addEvents(recorded, 1)
  await recorded.seal()
  service.clock.shift(-10 * DAY)
  await addEvents(recorded, 1)
  await recorded.seal()
  service.clock.shift(5 * DAY)
  await pruneSecurityEvents(service.db, keys, service.clock.now())
  assert.equal((await requireSound(recorded)).rows, 2)
})

test('sealing counts for no account, not even for that whose request noted the first event', async (t) => {
  const recorded = await start(t)
  const { service, keys } = recorded
  await addEvents(recorded, 3)
  const sealer = createSealer({ db: service.db, log: createLog({ level: 'silent' }), keys })
  const request = { ...createRequestContext(), account: 'usr_1', isCustomer: true }
  runInRequest(request, () => sealer.note())
  await until('the seals', async () => (await countUnsealed(service.db)) === 0)
  await sealer.close()
  assert.equal(request.movedBytes, 0)
})
