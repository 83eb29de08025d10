import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { upload } from '../../src/assets/factory.ts'
import { seedSampleCatalogue } from '../../src/products/index.ts'
import { EXAMPLES } from '../../src/site/docs/sources.ts'
import { startService } from '../harness.ts'

/** Large enough for 300 dpi on an A6 postcard with bleed. */
const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 1900, height: 1400, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer()

test('every example document passes preflight on the sample catalogue', async (t) => {
  const service = await startService(t)
  await seedSampleCatalogue(service.db, service.clock.now())
  const { accessToken: token } = await service.signUp()
  const asset = await upload(service, token, await photo())
  assert.equal(asset.status, 201, asset.text)
  const { body: products } = await service.request('GET', '/products?limit=100')
  for (const name of EXAMPLES) {
    const text = readFileSync(join(import.meta.dirname, `../../docs/examples/${name}.json`), 'utf8')
    const document = JSON.parse(text.replaceAll(/ast_\w+/g, asset.body.id))
    const reports = []
    for (const { id: productId, variants } of products.data) {
      const body = { productId, variantId: variants[0].id, document }
      const { body: design } = await service.request('POST', '/designs', { token, body })
      if (design.preflight !== undefined) reports.push(design.preflight)
    }
    assert.ok(
      reports.some(({ ok }) => ok),
      `${name}: ${JSON.stringify(reports)}`,
    )
  }
})
