import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimReference } from '../platform/records/external-reference.ts'
import { startSignedIn } from './factory.ts'

const REFERENCE = 'cart 7 / Ärmel'
const taken = (id: string) => [409, 'external_reference_taken', id, '/externalReference']

test('an external reference belongs to one design of an account, which the refusal names', async (t) => {
  const { service, token, create, product, variantId } = await startSignedIn(t)
  const { body: design } = await create({ externalReference: REFERENCE })
  assert.equal(design.externalReference, REFERENCE)
  const { body: other } = await create({ externalReference: null })
  assert.equal(other.externalReference, null)
  const patch = (id: string, body: object) => service.request('PATCH', `/designs/${id}`, { token, body })
  const refusals = [
    await create({ externalReference: REFERENCE }),
    await patch(other.id, { externalReference: REFERENCE }),
  ]
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.code, body.id, body.errors[0].pointer], taken(design.id))
  }
  assert.equal(
    (await patch(design.id, { externalReference: REFERENCE, name: 'Same' })).body.externalReference,
    REFERENCE,
  )

  // Another account may use the same reference.
  const { accessToken } = await service.signUp()
  const body = { productId: product.id, variantId, externalReference: REFERENCE }
  assert.equal((await service.request('POST', '/designs', { token: accessToken, body })).status, 201)

  const found = async (reference: string) => {
    const path = `/designs?externalReference=${encodeURIComponent(reference)}`
    return (await service.request('GET', path, { token })).body.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual([await found(REFERENCE), await found('cart'), await found('none')], [[design.id], [], []])
})

test('a duplicate has no external reference, an archived design keeps it, and null removes it', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ externalReference: REFERENCE })
  const path = `/designs/${design.id}`
  const { body: copy } = await service.request('POST', `${path}/duplicate`, { token })
  assert.equal(copy.externalReference, null)
  await service.request('DELETE', path, { token })
  assert.equal((await service.request('GET', path, { token })).body.externalReference, REFERENCE)
  assert.equal((await create({ externalReference: REFERENCE })).body.id, design.id, 'the refusal names the design')

  const { body: draft } = await create({ externalReference: 'draft' })
  const cleared = await service.request('PATCH', `/designs/${draft.id}`, { token, body: { externalReference: null } })
  assert.deepEqual([cleared.body.externalReference, cleared.body.revision], [null, 2])
  assert.equal((await create({ externalReference: 'draft' })).status, 201)
})

test('an external reference is one line of 1 to 200 characters', async (t) => {
  const { create, service, token } = await startSignedIn(t)
  for (const externalReference of ['', 'x'.repeat(201), 'a\nb', 7, ['a']]) {
    const { status, body } = await create({ externalReference })
    assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 'validation_failed', '/externalReference'])
  }
  assert.equal((await create({ externalReference: '🎉'.repeat(200) })).status, 201)
  const tooLong = await service.request('GET', `/designs?externalReference=${'x'.repeat(201)}`, { token })
  assert.deepEqual([tooLong.status, tooLong.body.errors[0].parameter], [400, 'externalReference'])
})

// Without the lock of `claimReference`, the later request would fail at the index and not name the design.
test('of two requests for one external reference at once, the later one names the design of the earlier one', async (t) => {
  const { service, create } = await startSignedIn(t)
  const { body: design } = await create()
  const late = await service.db.transaction().execute(async (trx) => {
    const { owner_id: ownerId } = await trx
      .selectFrom('designs')
      .select('owner_id')
      .where('id', '=', design.id)
      .executeTakeFirstOrThrow()
    await claimReference(trx, { table: 'designs', ownerId, reference: REFERENCE, id: design.id })
    await trx.updateTable('designs').set({ external_reference: REFERENCE }).where('id', '=', design.id).execute()
    const request = create({ externalReference: REFERENCE })
    await service.untilBlocked()
    return { request }
  })
  const { status, body } = await late.request
  assert.deepEqual([status, body.code, body.id, body.errors[0].pointer], taken(design.id))
})
