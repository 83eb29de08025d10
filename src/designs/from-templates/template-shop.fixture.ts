import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { upload } from '../../assets/factory.ts'
import type { LayerInput } from '../../drawing/index.ts'
import { documentOf, imageLayer, makePicture, startSignedIn, textLayer } from '../factory.ts'

export type TemplateShop = Awaited<ReturnType<typeof openTemplateShop>>

/** Starts a service with a customer, a product and an administrator who publishes templates. */
export async function openTemplateShop(t: TestContext) {
  const shop = await startSignedIn(t)
  const { service, product, variantId } = shop
  const { accessToken: admin, userId: adminId } = await service.signUp({ role: 'admin' })
  const { body: asset } = await upload(service, admin, await makePicture('#884422'))
  const draft = async (layers: LayerInput[]) => {
    const body = { productId: product.id, variantId, document: documentOf(layers) }
    const { status, body: design, text } = await service.request('POST', '/designs', { token: admin, body })
    assert.equal(status, 201, text)
    return design
  }
  const publish = (designId: string, members: object = {}) =>
    service.request('POST', '/templates', { token: admin, body: { designId, name: 'Autumn', ...members } })
  /** Publishes a template with these layers. */
  const addTemplate = async (layers: LayerInput[], members: object = {}) => {
    const { status, body, text } = await publish((await draft(layers)).id, members)
    assert.equal(status, 201, text)
    return body
  }
  /** Creates a design of the customer from a template with these layers. */
  const startFrom = async (layers: LayerInput[]) => {
    const template = await addTemplate(layers)
    const { status, body, text } = await shop.create({ templateId: template.id })
    assert.equal(status, 201, text)
    return { template, design: body }
  }
  return { ...shop, admin, adminId, asset, draft, publish, addTemplate, startFrom }
}

/** A locked photo below a text that customers may change. */
export function photoAndText(assetId: string): LayerInput[] {
  const lock = { move: true, edit: true, style: true, remove: true }
  return [{ ...imageLayer(assetId), lock }, textLayer('Your name', { id: 'name' })]
}
