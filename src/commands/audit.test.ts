import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { createDatabase, startService } from '../../test/harness.ts'
import { databaseUrl, platen as runPlaten } from './platen.fixture.ts'

test('LG-1: `platen audit verify` reports whether the log is intact, and the first fault', async (t) => {
  const database = await createDatabase(t)
  const service = await startService(t, { database })
  await service.register()
  const settings = { PLATEN_DATABASE_URL: databaseUrl(database), PLATEN_DATA_DIR: service.config.dataDir }
  const platen = (...args: string[]) => runPlaten(['audit', ...args], settings)

  // The service is running and has not sealed all events yet.
  const sound = await platen('verify')
  assert.equal(sound.code, 0, sound.err)
  assert.match(sound.out, /is sound: 3 rows\./)
  const head = /^Head: (3:[0-9a-f]{64})$/m.exec(sound.out)?.[1] ?? ''
  assert.equal((await platen('verify', '--head', head)).code, 0)
  const exchanged = await platen('verify', '--head', `3:${'0'.repeat(64)}`)
  assert.equal(exchanged.code, 1)
  assert.match(exchanged.err, /The seal of row 3 differs/)

  await sql`alter table security_events disable trigger user`.execute(service.db)
  await sql`update security_events set result = 'failure' where sequence = 2`.execute(service.db)
  const changed = await platen('verify')
  assert.equal(changed.code, 1)
  assert.equal(changed.out, '')
  assert.match(changed.err, /not sound\. The seal of row 2 \(aud_\w+\) is invalid/)

  const { code, err } = await platen('verify', '--head', 'nonsense')
  assert.equal(code, 2)
  assert.match(
    err,
    /^platen: --head is "nonsense", which is not a head\. Use the head that an earlier verification printed/,
  )
})
