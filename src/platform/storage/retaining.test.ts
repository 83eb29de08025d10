import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import sharp from 'sharp'
import { startService, type TestResponse } from '../../../test/harness.ts'
import { makePng } from '../../assets/factory.ts'
import { openWithDesign, requestOf } from '../../designs/factory.ts'
import { finalizeDesign } from '../../designs/finalization/finalize-design.ts'
import { STORAGE_REFERENCES } from '../../features.ts'
import { GREETING, pictureLayer, startCardShop } from '../../orders/item-files/factory.ts'
import { makeFont } from '../../rendering/user-fonts/factory.ts'
import type { DatabasePool, Db } from '../db/index.ts'
import { Problem } from '../problem.ts'

/**
 * Deletes the rows of objects, as if a process had been suspended for a day between storing bytes and referring to
 * them.
 */
async function forgetObjects(db: Db): Promise<void> {
  await sql`delete from storage_objects`.execute(db)
}

/**
 * Makes uploads wait for advisory lock 1 before they are recorded. The last step before is claiming an idempotency key,
 * so the function for that step is replaced.
 */
async function blockClaims(db: Db): Promise<void> {
  await sql`alter function claim_idempotency_key rename to claim_at_once`.execute(db)
  await sql`
    create function claim_idempotency_key(caller text, key text, at timestamptz)
      returns table (claimed boolean, request_hash text, status int, body json, headers json) language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(1);
      return query select * from claim_at_once(caller, key, at);
    end $$`.execute(db)
}

const UPLOADS = {
  assets: { mediaType: 'image/png', role: 'customer', make: makePng },
  fonts: { mediaType: 'font/ttf', role: 'customer', make: () => makeFont({ family: 'Grand Sans' }) },
  'color-profiles': { mediaType: 'application/vnd.iccprofile', role: 'admin', make: makeProfile },
} as const

async function makeProfile(): Promise<Buffer> {
  const picture = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } }).withIccProfile('cmyk')
  const { icc } = await sharp(await picture.tiff().toBuffer()).metadata()
  assert.ok(icc)
  return icc
}

for (const [kind, { mediaType, role, make }] of Object.entries(UPLOADS)) {
  test(`${kind}: an upload whose bytes are collected before its row is written gets 503 and can be repeated`, async (t) => {
    const service = await startService(t)
    const { accessToken: token } = await service.signUp({ role })
    const body = await make()
    const send = () =>
      service.request('POST', `/${kind}`, {
        token,
        body,
        headers: { 'content-type': mediaType, 'idempotency-key': 'upload-1' },
      })
    await blockClaims(service.db)
    let sending: Promise<TestResponse> | undefined
    await service.db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(1)`.execute(trx)
      sending = send()
      await service.untilBlocked()
      await forgetObjects(service.db)
    })
    const answer = await sending
    assert.deepEqual([answer?.status, answer?.body.code], [503, 'storage_unavailable'])
    const { rows } = await sql`select from ${sql.table(kind.replace('-', '_'))}`.execute(service.db)
    assert.equal(rows.length, 0)
    assert.equal((await send()).status, 201)
  })
}

test('if files of a finalization are collected before they are recorded, the design stays a draft that can be finalized', async (t) => {
  const shop = await openWithDesign(t)
  const drawing = shop.renderer.hold()
  const finalizing = finalizeDesign(shop.deps, requestOf(shop.design))
  const refused = assert.rejects(
    finalizing,
    (error: unknown) => error instanceof Problem && error.code === 'storage_unavailable',
  )
  await drawing.entered
  await shop.inTransaction(async (trx) => {
    await sql`select from designs where id = ${shop.design.id} for update`.execute(trx)
    drawing.letGo()
    // Waits until the image, the print file and two previews are stored.
    while ((await sql`select from storage_objects`.execute(shop.db)).rows.length < 4) await pause(10)
    await forgetObjects(shop.db)
  })
  await refused
  assert.equal((await shop.read(shop.design)).status, 'draft')
  assert.equal((await finalizeDesign(shop.deps, requestOf(shop.design))).status, 'finalized')
})

test('files of an order item that are collected before they are recorded are rendered again', async (t) => {
  const shop = await startCardShop(t)
  const { id } = await shop.orderCards(await shop.finalize(), 'Ann')
  const statusOf = async () => (await shop.read(id)).items[0].personalization.status
  let drawing: Promise<unknown> | undefined
  await shop.db.transaction().execute(async (trx) => {
    await sql`select from orders where id = ${id} for update`.execute(trx)
    drawing = shop.draw()
    await shop.service.untilBlocked()
    await forgetObjects(shop.db)
  })
  await drawing
  assert.equal(await statusOf(), 'pending')
  await shop.db.updateTable('item_files').set({ due_at: shop.service.clock.now() }).execute()
  await shop.draw()
  assert.equal(await statusOf(), 'ready')
})

test('every column with hashes is searched for references, and the migration adds rows for existing references', async (t) => {
  const shop = await startCardShop(t)
  const admin = await shop.signUp('admin')
  const add = async (kind: keyof typeof UPLOADS, token: string) => {
    const { mediaType, make } = UPLOADS[kind]
    return (
      await shop.request('POST', `/${kind}`, { token, body: await make(), headers: { 'content-type': mediaType } })
    ).body
  }
  await add('fonts', admin.token)
  const profile = await add('color-profiles', admin.token)
  const designId = await shop.finalize([GREETING, pictureLayer(await shop.upload())])
  await sql`update finalizations set output_profile_sha256 = ${profile.sha256}`.execute(shop.db)
  const objects = () =>
    sql<{ sha256: string }>`select sha256, bytes from storage_objects order by sha256`.execute(shop.db)
  const { rows: before } = await objects()
  await migrateAnew(shop.service.services.database)
  assert.deepEqual((await objects()).rows, before)

  await shop.orderCards(designId, 'Ann')
  await assertLookedThrough(shop.db, (column) => column !== 'item_files.files')
  await shop.draw()
  await assertLookedThrough(shop.db, (column) => column !== 'item_files.sources')
})

/** Runs the migration again, as if from a version without it. */
async function migrateAnew({ pool }: DatabasePool): Promise<void> {
  await pool.query('drop index finalizations_by_file, assets_by_content')
  await pool.query('drop function file_hashes')
  await pool.query('drop table storage_objects')
  await pool.query(await readFile(new URL('../../../migrations/0010_storage.sql', import.meta.url), 'utf8'))
}

/** Checks that the query of each feature returns every stored hash in its columns. */
async function assertLookedThrough(db: Db, isFilled: (column: string) => boolean): Promise<void> {
  for (const { columns, query } of STORAGE_REFERENCES) {
    for (const column of columns.filter(isFilled)) {
      const [table = '', name = ''] = column.split('.')
      const { rows: stored } = await sql<{ sha256: string }>`
        select o.sha256 from storage_objects o
        where exists (select from ${sql.table(table)} where position(o.sha256 in ${sql.ref(name)}::text) > 0)
        order by 1`.execute(db)
      assert.ok(stored.length > 0, `${column} has no hash to look for`)
      const { rows: found } = await query(stored.map(({ sha256 }) => sha256)).execute(db)
      const known = new Set(found.map(({ sha256 }) => sha256))
      assert.deepEqual(
        stored.filter(({ sha256 }) => !known.has(sha256)),
        [],
        column,
      )
    }
  }
}
