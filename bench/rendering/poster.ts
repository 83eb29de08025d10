import { call } from '../../scripts/lib/client.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createProduct } from '../../src/products/change-product.ts'
import { makeLargePhoto } from '../lib/large-photo.ts'
import { median } from '../lib/load.ts'
import { childrenOf, peakMegabytes } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const ROUNDS = 5
const [WIDTH_MM, HEIGHT_MM, BLEED_MM] = [420, 594, 3]
const PIXELS = { width: 6_500, height: 9_231 }

/** Measures finalizing an A2 poster with a photo of 60 megapixels, and the memory of the rendering process. */
export async function benchPoster({ service, base, token, connectionString }: Subject): Promise<void> {
  const product = await addPosterProduct(connectionString)
  const photo = await makeLargePhoto(PIXELS.width, PIXELS.height)
  const { body: asset } = await call('POST', `${base}/assets`, {
    token,
    bytes: photo,
    headers: { 'content-type': 'image/jpeg' },
  })
  const timings: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const json = { productId: product.id, variantId: product.variantId, document: posterDocument(asset.id, round) }
    const { body: design } = await call('POST', `${base}/designs`, { token, json })
    const begin = performance.now()
    await call('POST', `${base}/designs/${design.id}/finalize`, { token })
    timings.push(performance.now() - begin)
  }
  const workers = await childrenOf(service.child.pid ?? 0, 'rendering-worker')
  const memory = Math.max(...(await Promise.all(workers.map(peakMegabytes))))
  const figures: [string, number, number, string][] = [
    ['finalize an A2 poster with a photo of 60 megapixels', median(timings), 2_500, 'ms'],
    ['peak memory of the process that draws it', memory, 700, 'MB'],
  ]
  for (const [figure, value, limit, unit] of figures) {
    const aim = `under ${limit} ${unit}`
    report({
      figure,
      value,
      limit,
      unit,
      ratio: value / limit,
      aim,
      reached: value < limit,
      photoMegabytes: photo.length / 1e6,
    })
  }
}

async function addPosterProduct(connectionString: string): Promise<{ id: string; variantId: string }> {
  const database = openDatabase({ connectionString }, createLog({ level: 'warn' }))
  try {
    const product = await database.db.transaction().execute((trx) =>
      createProduct(
        trx,
        {
          name: 'A2 poster',
          description: '420 × 594 mm.',
          currency: 'EUR',
          printAreas: [
            {
              id: 'front',
              name: 'Front',
              widthMm: WIDTH_MM,
              heightMm: HEIGHT_MM,
              bleedMm: BLEED_MM,
              safeMarginMm: 5,
              targetDpi: 300,
              required: true,
            },
          ],
          variants: [
            { sku: 'PO-A2', options: {}, weightGrams: 60, priceTiers: [{ minQuantity: 1, unitAmount: 1_990 }] },
          ],
        },
        new Date(),
      ),
    )
    const [variant] = product.variants
    if (variant === undefined) throw new Error('the product has no variant')
    return { id: product.id, variantId: variant.id }
  } finally {
    await database.close()
  }
}

function posterDocument(assetId: string, round: number): object {
  const text = { type: 'text', x: 20, width: 380, fontFamily: 'Inter', color: '#FFFFFF', align: 'center' }
  const bleed = { x: -BLEED_MM, y: -BLEED_MM, width: WIDTH_MM + 2 * BLEED_MM, height: HEIGHT_MM + 2 * BLEED_MM }
  const layers = [
    { id: 'photo', type: 'image', assetId, ...bleed },
    { ...text, id: 'title', y: 40, height: 60, text: `Far hills, print ${round}`, fontSizePt: 96, fontWeight: 700 },
    {
      ...text,
      id: 'line',
      y: 550,
      height: 20,
      text: 'Sixty megapixels on four hundred and twenty by five hundred and ninety-four',
      fontSizePt: 18,
    },
  ]
  return { version: 1, placements: [{ printAreaId: 'front', layers }] }
}
