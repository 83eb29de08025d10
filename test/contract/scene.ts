import type { TestContext } from 'node:test'
import { CARD } from '../../src/designs/factory.ts'
import { startService } from '../harness.ts'

/** Starts a service with a product, and signs up a customer. */
export async function startWithProduct(t: TestContext) {
  const service = await startService(t)
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { body: product } = await service.request('POST', '/products', { token: admin, body: CARD })
  const { accessToken: token } = await service.signUp()
  return { service, token, design: { productId: product.id, variantId: product.variants[0].id } }
}
