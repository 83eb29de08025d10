import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { CARD } from '../../src/designs/factory.ts'
import { startService } from '../harness.ts'
import { compile, makeClientFolder, runJourney } from './generators/client-folder.ts'
import { GENERATORS } from './generators/generate.ts'

for (const [name, generate] of Object.entries(GENERATORS)) {
  test(`a client of ${name} compiles without a cast and takes an order from sign-in to events`, async (t) => {
    const folder = await makeClientFolder(t, name)
    await generate(folder)
    assert.equal(await compile(folder), '')
    const journey = await readFile(join(folder, 'journey.ts'), 'utf8')
    assert.doesNotMatch(journey, /\bas (?!const\b)|\bany\b|@ts-|!\./, 'the journey has a cast')

    const service = await startService(t)
    const { accessToken } = await service.signUp({ role: 'admin' })
    const { body: product } = await service.request('POST', '/products', { token: accessToken, body: CARD })
    const { email, password } = await service.signUp()
    const ids = { productId: product.id, variantId: product.variants[0].id }
    const { number, ...outcome } = await runJourney(folder, { baseUrl: service.baseUrl, email, password, ...ids })
    assert.match(number, /^PL-/)
    const eventTypes = ['design.finalized', 'order.created', 'payment.captured', 'order.confirmed']
    assert.deepEqual(outcome, { status: 'confirmed', eventTypes })
  })
}
