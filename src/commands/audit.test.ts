import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { sql } from 'kysely'
import { createDatabase, startService } from '../../test/harness.ts'

interface Ended {
  code: number
  out: string
  err: string
}

const PROGRAM = join(import.meta.dirname, '../main.ts')

test('LG-1: `platen audit verify` says whether the record is sound, and where it is not', async (t) => {
  const database = await createDatabase(t)
  const service = await startService(t, { database })
  await service.register()
  const { host, port, user } = database
  const query = new URLSearchParams({ host: String(host), port: String(port) })
  const env = {
    PATH: process.env['PATH'],
    PLATEN_DATABASE_URL: `postgresql://${user}@/${database.database}?${query}`,
    PLATEN_DATA_DIR: service.config.dataDir,
  }
  const platen = (...args: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, 'audit', ...args], { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err })
      })
    })

  // The service runs meanwhile, and has not sealed everything.
  const sound = await platen('verify')
  assert.equal(sound.code, 0, sound.err)
  assert.match(sound.out, /is sound: 3 rows\./)
  const head = /^Head: (3:[0-9a-f]{64})$/m.exec(sound.out)?.[1] ?? ''
  assert.equal((await platen('verify', '--head', head)).code, 0)
  const exchanged = await platen('verify', '--head', `3:${'0'.repeat(64)}`)
  assert.equal(exchanged.code, 1)
  assert.match(exchanged.err, /Row 3 bears another seal/)

  await sql`alter table security_events disable trigger user`.execute(service.db)
  await sql`update security_events set result = 'failure' where sequence = 2`.execute(service.db)
  const changed = await platen('verify')
  assert.equal(changed.code, 1)
  assert.equal(changed.out, '')
  assert.match(changed.err, /not sound\. Row 2 \(aud_\w+\) does not bear the seal/)

  for (const args of [[], ['erase'], ['verify', '--head', 'nonsense']]) {
    const { code, err } = await platen(...args)
    assert.equal(code, 1)
    assert.match(err, /platen audit verify|takes what an earlier check said/)
  }
})
