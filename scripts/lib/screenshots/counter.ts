import { call } from '../client.ts'
import { draftDocument, fieldsDocument } from './documents.ts'

interface Input {
  base: string
  operatorToken: string
  /** What the designs are made for. */
  product: { id: string; variants: { id: string }[] }
}

/** Creates a template, and an order for a customer without a sign-in. Returns the id of the order. */
export async function prepareCounter({ base, operatorToken: token, product }: Input): Promise<string> {
  const of = { productId: product.id, variantId: product.variants[0]?.id }
  const json = { ...of, name: 'Greetings', document: draftDocument() }
  const { body: draft } = await call('POST', `${base}/designs`, { token, json })
  const template = { designId: draft.id, name: 'Greetings', categories: ['Cards'] }
  await call('POST', `${base}/templates`, { token, json: template })
  const customer = { externalId: 'cafe-7', name: 'Café Linde', email: 'linde@example.com' }
  const { body: made } = await call('POST', `${base}/customers`, { token, json: customer })
  const options = { token, headers: { 'platen-customer': made.id } }
  const cards = { ...of, name: 'Cards for the tables', document: fieldsDocument() }
  const { body: design } = await call('POST', `${base}/designs`, { ...options, json: cards })
  const { body: finished } = await call('POST', `${base}/designs/${design.id}/finalize`, options)
  const names: string[] = finished.finalization.placeholders
  const data = Object.fromEntries(names.map((name, index) => [name, String(index + 1)]))
  const agreedPrice = { unitPrice: { amount: 35, currency: finished.finalization.price.currency }, reason: 'Regular' }
  const order = {
    items: [{ designId: design.id, quantity: 100, data, agreedPrice }],
    shippingAddress: { name: 'Café Linde', line1: 'Lindenstr. 7', postalCode: '10969', city: 'Berlin', country: 'DE' },
  }
  return (await call('POST', `${base}/orders`, { ...options, json: order })).body.id
}
