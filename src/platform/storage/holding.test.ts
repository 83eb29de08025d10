import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Answer, startService } from '../../../test/harness.ts'
import { makePng, upload } from '../../assets/factory.ts'
import { closeRenderer, openWithDesign, requestOf } from '../../designs/factory.ts'
import { finalizeDesign } from '../../designs/finalization/finalize-design.ts'
import type { Db } from '../db/index.ts'
import { Problem } from '../problem.ts'

after(closeRenderer)

/** As if a process had stood still for a day between storing bytes and referring to them. */
async function forgetObjects(db: Db): Promise<void> {
  await sql`delete from storage_objects`.execute(db)
}

test('an upload whose bytes were collected before its row was written is refused, and can be repeated', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const headers = { 'idempotency-key': 'photo-1' }
  const png = await makePng()
  let sending: Promise<Answer> | undefined
  await service.db.transaction().execute(async (trx) => {
    // The last thing that is asked for before the row is written.
    await sql`lock table idempotency_keys in access exclusive mode`.execute(trx)
    sending = upload(service, token, png, headers)
    await service.untilBlocked()
    await forgetObjects(service.db)
  })
  const answer = await sending
  assert.deepEqual([answer?.status, answer?.body.code], [503, 'storage_unavailable'])
  assert.deepEqual((await service.request('GET', '/assets', { token })).body.data, [])
  assert.equal((await upload(service, token, png, headers)).status, 201)
})

test('a finalization whose files were collected before they were recorded leaves a draft that can be finalized', async (t) => {
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
    // The picture, the print file and two previews.
    while ((await sql`select from storage_objects`.execute(shop.db)).rows.length < 4) await pause(10)
    await forgetObjects(shop.db)
  })
  await refused
  assert.equal((await shop.read(shop.design)).status, 'draft')
  assert.equal((await finalizeDesign(shop.deps, requestOf(shop.design))).status, 'finalized')
})
