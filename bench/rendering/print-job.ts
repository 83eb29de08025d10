import { join } from 'node:path'
import { call } from '../../scripts/lib/client.ts'
import type { DesignDocument } from '../../src/drawing/index.ts'
import type { HashedPrintJob } from '../../src/rendering/index.ts'
import type { Subject } from '../lib/subject.ts'

/** Returns the job that the service sends to the renderer when it finalizes the design of `subject`. */
export async function printJobOf({ base, token, designId, dataDir }: Subject): Promise<HashedPrintJob> {
  const { body: design } = await call('GET', `${base}/designs/${designId}`, { token })
  const { body: product } = await call('GET', `${base}/products/${design.productId}`)
  const { body: assets } = await call('GET', `${base}/assets`, { token })
  const images = Object.fromEntries(
    assets.data.map(({ id, sha256 }: { id: string; sha256: string }) => [
      id,
      { sha256, path: join(dataDir, 'storage/blobs', sha256.slice(0, 2), sha256) },
    ]),
  )
  return {
    document: design.document as DesignDocument,
    printAreas: product.printAreas,
    images,
    contentHash: '0'.repeat(64),
  }
}
