import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { groupName, networkOfShare, newGuestId, shareOf } from '../fair-share.ts'
import { createLog } from '../telemetry/log.ts'
import { openDatabase } from './index.ts'
import { isGuestColumn, networkOfCustomer, shareOfColumn, shareOfCustomer } from './share.ts'

test('PostgreSQL computes the same share of a user as the program', async (t) => {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  const group = Uint8Array.from([1, 2, 3, 4])
  const ids = [newGuestId('usr', group), newGuestId('usr', group), newId('user'), newId('user')]
  const { rows } = await sql<{ share: string; is_guest: boolean }>`
    select ${shareOfColumn('owner.id')} as share, ${isGuestColumn('owner.id')} as is_guest
    from unnest(${ids}::text[]) with ordinality as owner (id, place) order by owner.place`.execute(database.db)
  assert.deepEqual(
    rows.map(({ share }) => share),
    ids.map(shareOf),
  )
  assert.deepEqual(
    rows.map(({ is_guest }) => is_guest),
    [true, true, false, false],
  )
})

test('PostgreSQL computes the same network of a share as the program', async (t) => {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  const group = Uint8Array.from([1, 2, 3, 4])
  const ids = [newGuestId('usr', group), newId('user'), newId('user')]
  const networks = [null, groupName(group), null]
  const { rows } = await sql<{ share: string; network: string }>`
    select ${shareOfCustomer('owner.id', 'owner.group')} as share, ${networkOfCustomer('owner.id', 'owner.group')} as network
    from unnest(${ids}::text[], ${networks}::text[]) with ordinality as owner (id, "group", place)
    order by owner.place`.execute(database.db)
  assert.deepEqual(
    rows.map(({ network }) => network),
    rows.map(({ share }) => networkOfShare(share)),
  )
  assert.deepEqual([rows[0]?.network === rows[1]?.network, rows[2]?.network], [true, ids[2]])
})
