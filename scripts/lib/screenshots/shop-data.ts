import { call, signUp } from '../client.ts'
import { makePhoto, postcardDocument } from '../postcard.ts'
import { draftDocument, faultyDocument, fieldsDocument } from './documents.ts'
import { ordersOf } from './orders.ts'
import type { SceneData } from './scene.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'a quiet lake at dusk'

interface Product {
  id: string
  name: string
  variants: { id: string }[]
}

/** Creates an account with drafts, a finished design and orders. */
export async function prepareShop(origin: string): Promise<Omit<SceneData, 'text'>> {
  const base = `${origin}/v1`
  const { accessToken: token } = await signUp(origin, EMAIL, PASSWORD, 'Ada Example')
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
  await makeDesign('Empty mug', productOf('Mug'), { version: 1, placements: [] })
  const faulty = await makeDesign('Card for the fair', postcard, faultyDocument(photo.id))
  const fields = await makeDesign('Cards for the tables', postcard, fieldsDocument())
  const draft = await makeDesign('Card of the studio', postcard, draftDocument())
  await call('PATCH', `${base}/designs/${draft.id}`, { token, json: { document: draftDocument(photo.id) } })
  return {
    origin,
    email: EMAIL,
    password: PASSWORD,
    productId: productOf('T-shirt').id,
    draftId: draft.id,
    faultyId: faulty.id,
    fieldsId: fields.id,
    finishedId: finished.id,
    orders: await ordersOf({ base, token, designId: finished.id }),
  }
}
