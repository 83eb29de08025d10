import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startSignedIn } from '../../src/designs/factory.ts'
import { insertDesign } from '../../src/designs/store.ts'
import { createDatabase, startService, type TestService } from '../harness.ts'
import { newId } from '../ids.ts'

/** A page ends at 2 MiB. */
const PAGE = 15

/** Two pages of such designs have 4 MiB, of which a customer with 1 MiB/s may move 2 MiB at once. */
const LARGE_DOCUMENT = JSON.stringify({
  version: 1,
  placements: [{ printAreaId: 'front', layers: ['a', 'b', 'c'].map(pathLayer) }],
})

function pathLayer(id: string) {
  const path = `M1 1${'h1v1h-1v-1'.repeat(6_000)}`
  return { id, type: 'shape', shape: 'path', x: 1, y: 1, width: 10, height: 10, path, fill: '#336699' }
}

async function startWithDesigns(t: TestContext, rateLimits: 'on' | 'off') {
  const service = await startService(t, {
    // A caller is refused at once if it would have to wait for longer than for a connection.
    database: { ...(await createDatabase(t)), connectionTimeoutMillis: 1_000 },
    env: { PLATEN_RATE_LIMITS: rateLimits, PLATEN_TRANSFER_MIB_PER_SECOND: '1' },
  })
  const { userId, accessToken: token } = await service.signUp()
  await insertDesigns(service, userId)
  return { service, read: () => service.request('GET', `/designs?limit=${PAGE}`, { token }) }
}

async function insertDesigns({ db, clock }: TestService, ownerId: string): Promise<void> {
  const [productId, variantId, createdAt] = [newId('product'), newId('variant'), clock.now()]
  const texts = { documentJson: LARGE_DOCUMENT, preflightJson: '{}', metadataJson: '{}' }
  const rest = { ...texts, externalReference: null, templateId: null, productId, variantId, createdAt }
  await db.transaction().execute(async (trx) => {
    for (let n = 0; n < PAGE; n += 1) await insertDesign(trx, { id: newId('design'), ownerId, name: 'Card', ...rest })
  })
}

test('a customer who reads too many bytes is refused for some seconds, and another one is not', async (t) => {
  const { service, read } = await startWithDesigns(t, 'on')
  const { accessToken: other } = await service.signUp()
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  const answers = [await read(), await read()]
  // On a busy computer, the debt may be worked off before the second request.
  while (answers.at(-1)?.status === 200 && answers.length < 20) answers.push(await read())
  const refused = answers.at(-1)
  assert.deepEqual([refused?.status, refused?.body.code], [429, 'rate_limited'])
  const seconds = Number(refused?.headers.get('retry-after'))
  assert.ok(seconds >= 1 && seconds <= 2, String(seconds))
  assert.equal((await service.request('GET', '/designs', { token: other })).status, 200)
  const { text } = await service.request('GET', `${service.origin}/metrics`, { token: operator })
  const counted = (name: string) =>
    Number(new RegExp(`^platen_database_${name}\\{caller="customer"\\} (\\d+)$`, 'm').exec(text)?.[1])
  assert.ok(counted('transferred_bytes_total') > 2_000_000)
  assert.ok(counted('transfer_refusals_total') >= 1)
})

test('a customer who has read too many bytes does not keep the turn of others while it waits', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_TRANSFER_MIB_PER_SECOND: '1' }
  const { service, product, variantId } = await startSignedIn(t, { env })
  const { request } = service
  const [debtor, other] = [await service.signUp(), await service.signUp()]
  await insertDesigns(service, debtor.userId)
  const create = async (as: string): Promise<string> =>
    (await request('POST', '/designs', { token: as, body: { productId: product.id, variantId } })).body.id
  const [ofDebtor, ofOther] = [await create(debtor.accessToken), await create(other.accessToken)]
  const order: string[] = []
  const preflight = async (as: string, id: string, name: string): Promise<void> => {
    assert.equal((await request('POST', `/designs/${id}/preflight`, { token: as })).status, 200)
    order.push(name)
  }
  // Pages of 2 MiB until the next one would have to wait.
  for (let pages = 0; pages < 2; pages += 1)
    await request('GET', `/designs?limit=${PAGE}`, { token: debtor.accessToken })
  const late = preflight(debtor.accessToken, ofDebtor, 'debtor')
  for (let n = 0; n < 3; n += 1) await preflight(other.accessToken, ofOther, 'other')
  await late
  assert.deepEqual(order, ['other', 'other', 'other', 'debtor'])
})

test('without rate limits, no customer is refused because of bytes', async (t) => {
  const { read } = await startWithDesigns(t, 'off')
  for (let n = 0; n < 5; n += 1) assert.equal((await read()).status, 200)
})
