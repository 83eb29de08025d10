import { call, signIn, signUp } from '../client.ts'
import { makePhoto, postcardDocument } from '../postcard.ts'
import { prepareCounter } from './counter.ts'
import { draftDocument, faultyDocument, fieldsDocument } from './documents.ts'
import { ordersOf } from './orders.ts'
import type { SceneData } from './scene.ts'

const EMAIL = 'ada@example.com'
const NEWCOMER = 'grace@example.com'
const PASSWORD = 'a quiet lake at dusk'

export const ADMIN = { email: 'admin@example.com', password: 'the print house by the lake' }

interface Product {
  id: string
  name: string
  variants: { id: string }[]
}

/** Creates an account with drafts, a finished design and orders. */
export async function prepareShop(origin: string): Promise<Omit<SceneData, 'text'>> {
  const base = `${origin}/v1`
  const { accessToken: token } = await signUp(origin, EMAIL, PASSWORD, 'Ada Example')
  await signUp(origin, NEWCOMER, PASSWORD, 'Grace Example')
  const { accessToken: operatorToken } = await signIn(origin, ADMIN.email, ADMIN.password)
  const { body: list } = await call<{ data: Product[] }>('GET', `${base}/products?limit=100`)
  const productOf = (name: string): Product => {
    const found = list.data.find((product) => product.name === name)
    if (found === undefined) throw new Error(`The sample catalogue has no product named "${name}"`)
    return found
  }
  const { body: photo } = await call('POST', `${base}/assets`, {
    token,
    bytes: makePhoto(),
    headers: { 'content-type': 'image/jpeg' },
  })
  const makeDesign = async (name: string, product: Product, document: object) => {
    const json = { name, productId: product.id, variantId: product.variants[0]?.id, document }
    return (await call<{ id: string }>('POST', `${base}/designs`, { token, json })).body
  }
  const postcard = productOf('A6 postcard')
  const finished = await makeDesign('Lake postcard', postcard, postcardDocument(photo.id))
  await call('POST', `${base}/designs/${finished.id}/finalize`, { token })
  const cards = await makeDesign('Cards for the guests', postcard, fieldsDocument())
  await call('POST', `${base}/designs/${cards.id}/finalize`, { token })
  await makeDesign('Empty mug', productOf('Mug'), { version: 1, placements: [] })
  const faulty = await makeDesign('Card for the fair', postcard, faultyDocument(photo.id))
  const fields = await makeDesign('Cards for the tables', postcard, fieldsDocument())
  const draft = await makeDesign('Card of the studio', postcard, draftDocument())
  await call('PATCH', `${base}/designs/${draft.id}`, { token, json: { document: draftDocument(photo.id) } })
  const orders = await ordersOf({ base, token, operatorToken, designId: finished.id })
  const endpoint = { url: 'https://erp.example.com/platen', description: 'Bookkeeping' }
  const asOperator = (path: string, json: object = {}) => call('POST', `${base}${path}`, { token: operatorToken, json })
  const endpointId: string = (await asOperator('/webhook-endpoints', endpoint)).body.id
  const batch = { name: 'Tuesday', orderIds: [orders.paid, orders.delayed] }
  await asOperator('/invitations', { email: 'edith@example.com', role: 'operator', staffRole: 'prepress' })
  return {
    origin,
    email: EMAIL,
    password: PASSWORD,
    productId: productOf('T-shirt').id,
    draftId: draft.id,
    faultyId: faulty.id,
    fieldsId: fields.id,
    finishedId: finished.id,
    cardsId: cards.id,
    newcomer: NEWCOMER,
    counterOrderId: await prepareCounter({ base, operatorToken, product: postcard }),
    endpointId,
    deliveryId: (await asOperator(`/webhook-endpoints/${endpointId}/test`)).body.id,
    packer: await signUpPacker(origin, operatorToken),
    batchId: (await asOperator('/production/batches', batch)).body.id,
    orders,
  }
}

/** Creates an account with the staff role of packers. */
async function signUpPacker(origin: string, operatorToken: string): Promise<SceneData['packer']> {
  const packer = { email: 'paul@example.com', password: PASSWORD }
  const { accessToken: token } = await signUp(origin, packer.email, packer.password, 'Paul Packer')
  const { body: user } = await call<{ id: string }>('GET', `${origin}/v1/me`, { token })
  const json = { role: 'operator', staffRole: 'packing' }
  await call('PATCH', `${origin}/v1/users/${user.id}`, { token: operatorToken, json })
  return packer
}
