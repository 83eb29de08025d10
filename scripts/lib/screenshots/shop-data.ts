import { call, signUp } from '../client.ts'
import { makePhoto, postcardDocument } from '../postcard.ts'
import type { SceneData } from './scenes.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'a quiet lake at dusk'

interface Product {
  id: string
  name: string
  variants: { id: string }[]
}

/** Creates an account with drafts and a finished design. */
export async function prepareShop(origin: string): Promise<SceneData> {
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
  const finished = await makeDesign('Lake postcard', productOf('A6 postcard'), postcardDocument(photo.id))
  await call('POST', `${base}/designs/${finished.id}/finalize`, { token })
  const draft = await makeDesign('Card of the studio', productOf('Business card'), cardDocument())
  await makeDesign('Empty mug', productOf('Mug'), { version: 1, placements: [] })
  return {
    origin,
    email: EMAIL,
    password: PASSWORD,
    productId: productOf('T-shirt').id,
    draftId: draft.id,
    finishedId: finished.id,
  }
}

function cardDocument(): object {
  const text = (id: string, y: number, value: string, fontSizePt: number) => ({
    id,
    type: 'text',
    x: 8,
    y,
    width: 69,
    height: 12,
    text: value,
    fontFamily: 'Inter',
    fontSizePt,
    color: '#1c1d22',
  })
  const layers = [text('name', 14, 'Ada Example', 20), text('role', 28, 'Studio for letters', 11)]
  return { version: 1, placements: [{ printAreaId: 'front', layers }] }
}
