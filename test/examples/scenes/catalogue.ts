import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import sharp from 'sharp'
import { makePng, upload } from '../../../src/assets/factory.ts'
import { CARD } from '../../../src/designs/factory.ts'
import { answering } from '../../fakes/webhook-receiver.ts'
import type { Stage } from './stage.ts'

const FONT = createRequire(import.meta.url).resolve('@fontsource/lora/files/lora-latin-400-normal.woff2')

/** Products, shipping, tax and colour profiles of a shop. */
export async function recordCatalogue({ service, call, admin, product }: Stage): Promise<void> {
  const token = admin.accessToken
  await call('listProducts', { query: 'limit=1' })
  await call('getProduct', { params: { productId: product.id } })
  const picture = await upload(service, token, await makePng('#b04a2f'))
  const shown = { images: [{ assetId: picture.body.id, alt: 'A card' }], categories: ['Cards'] }
  const { body: card } = await service.request('POST', '/products', { token, body: { ...CARD, ...shown } })
  await call('getProductImage', { params: { productId: card.id, imageId: card.images[0].id }, query: 'width=320' })
  await service.request('POST', `/products/${card.id}/archive`, { token })
  const { body: old } = await service.request('POST', '/products', { token, body: { ...CARD, name: 'Old card' } })
  await call('changeProduct', { token, params: { productId: old.id }, body: { description: 'Sold out soon.' } })
  await call('archiveProduct', { token, params: { productId: old.id } })
  await call('restoreProduct', { token, params: { productId: old.id } })
  await call('listProductChanges', { token, params: { productId: old.id }, query: 'limit=3' })
  await service.request('POST', `/products/${old.id}/archive`, { token })
  await call('exportVariants', { token, query: 'status=archived' })
  const lines = [
    'product id,SKU,weight,price from 1',
    ...old.variants.map((one: { sku: string }) => `${old.id},${one.sku},7,0.45`),
  ]
  const file = { body: new TextEncoder().encode(lines.join('\r\n')), headers: { 'content-type': 'text/csv' } }
  await call('importVariants', { token, query: 'dryRun=true', ...file })
  const priceTiers = [
    { minQuantity: 1, unitAmount: 45 },
    { minQuantity: 100, unitAmount: 30 },
  ]
  await call('previewPrices', { token, body: { currency: 'EUR', priceTiers, quantities: [1, 100, 250] } })

  await call('listShippingMethods', { query: 'limit=2' })
  const zone = {
    name: 'Germany',
    countries: ['DE'],
    rates: [{ maxWeightGrams: 2_000, prices: [{ amount: 490, currency: 'EUR' }] }],
  }
  const method = { name: 'Courier', estimatedDays: { min: 1, max: 2 }, zones: [zone], active: true }
  const { id: methodId } = await call('createShippingMethod', { token, body: method })
  await call('getShippingMethod', { params: { methodId } })
  await call('changeShippingMethod', { token, params: { methodId }, body: { name: 'Express courier' } })
  await call('listShippingSettings', { token, query: 'limit=2' })
  await call('listChangeRecords', { token, query: `subject=shipping_method&subjectId=${methodId}&limit=1` })
  await call('deleteShippingMethod', { token, params: { methodId } })
  const { taxIncluded, rates } = await call('getTaxSettings', { token })
  await call('replaceTaxSettings', { token, body: { taxIncluded, rates } })

  const changes = { accentColor: '#c8322b', logoAssetId: picture.body.id }
  await call('changeShopSettings', { token, body: changes })
  const { logo } = await call('getShopSettings', {})
  await call('getShopLogo', { params: { logoId: logo.url.split('/').at(-1) } })
  await call('previewShopColors', { query: 'accentColor=%23ffe600' })
  // Later scenes have the look of the environment.
  await service.request('PATCH', '/shop-settings', { token, body: { accentColor: null, logoAssetId: null } })

  const profile = { body: await cmykProfile(), headers: { 'content-type': 'application/vnd.iccprofile' } }
  const { id: colorProfileId } = await call('uploadColorProfile', { token, ...profile })
  await call('listColorProfiles', { token })
  await call('getColorProfile', { token, params: { colorProfileId } })
  await call('deleteColorProfile', { token, params: { colorProfileId } })
}

/** Returns a CMYK profile that is part of sharp. */
async function cmykProfile(): Promise<Uint8Array> {
  const picture = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } }).withIccProfile('cmyk')
  const { icc } = await sharp(await picture.tiff().toBuffer()).metadata()
  if (icc === undefined) throw new Error('sharp has no CMYK profile')
  return icc
}

/** Images and fonts of a customer. */
export async function recordUploads({ service, call, customer, receiver }: Stage): Promise<void> {
  const token = customer.accessToken
  const picture = await makePng()
  receiver.behave(
    (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(picture),
    '/photo.png',
  )
  const { id: assetId } = await call('uploadAsset', { token, body: { url: `${receiver.url}/photo.png` } })
  receiver.behave(answering(200))
  await call('listAssets', { token })
  await call('getAsset', { token, params: { assetId } })
  await call('getAssetContent', { token, params: { assetId } })
  await call('getAssetThumbnail', { token, params: { assetId } })
  const { url: content } = await call('createAssetLink', {
    token,
    params: { assetId },
    body: { file: 'content', expiresInSeconds: 3_600 },
  })
  await call('getLinkedAssetContent', { params: { assetId }, query: new URL(content).search.slice(1) })
  const thumbnail = await service.request('POST', `/assets/${assetId}/links`, { token, body: { file: 'thumbnail' } })
  const query = new URL(thumbnail.body.url).search.slice(1)
  await call('getLinkedAssetThumbnail', { params: { assetId }, query })
  await call('deleteAsset', { token, params: { assetId } })

  const font = { body: await readFile(FONT), headers: { 'content-type': 'font/woff2' } }
  const { id: fontId } = await call('uploadFont', { token, ...font })
  await call('listUploadedFonts', { token })
  await call('getFont', { token, params: { fontId } })
  await call('getFontContent', { token, params: { fontId } })
  await call('deleteFont', { token, params: { fontId } })
  await call('listFonts')
  await call('listFontFiles')
  const release = (await service.request('GET', '/fonts/files')).body.data[0].fileUrl.split('/').at(-2)
  await call('getFontFile', { params: { release, file: 'latin-400-normal.woff' } })
  await call('getDesignDocumentSchema')
}
