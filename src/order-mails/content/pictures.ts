import { readFile } from 'node:fs/promises'
import { findItemPreviews, type Order } from '../../orders/index.ts'
import type { MailPicture } from '../../platform/mail-pictures.ts'
import type { ContentDeps } from './deps.ts'
import type { MailView } from './view.ts'

/** Mails show pictures with half of this width, so that they are sharp on fine screens. */
const LONGEST_SIDE_PX = 192

/** Not all mail programs show WebP, the format of previews. */
const FORMAT = 'jpeg'

/** Time for all pictures of a mail. They wait for other work of the customer, and other mails wait for them. */
const DEADLINE_MS = 10_000

/**
 * Draws the pictures that a mail shows, and names them in its variables. An item whose picture cannot be drawn has
 * none: the mail matters more.
 */
export async function addPictures(deps: ContentDeps, view: MailView, order: Order): Promise<MailPicture[]> {
  const pictures: MailPicture[] = []
  const previews = await findItemPreviews(deps.db, order)
  const signal = AbortSignal.timeout(DEADLINE_MS)
  for (const [index, item] of view.items.entries()) {
    const preview = previews.get(item.id)
    const bytes = preview && !signal.aborted ? await draw(deps, preview.sha256, order, signal) : undefined
    if (bytes === undefined) continue
    const cid = `item-${index + 1}`
    item.picture = `cid:${cid}`
    pictures.push({ cid, mediaType: 'image/jpeg', base64: Buffer.from(bytes).toString('base64') })
  }
  const logo = view.shop.logo === null ? undefined : await readLogo(deps)
  if (logo === undefined) view.shop.logo = null
  return logo === undefined ? pictures : [logo, ...pictures]
}

async function draw(
  { storage, drawThumbnail, log }: ContentDeps,
  sha256: string,
  { id, ownerId }: Order,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    const path = await storage.localPath(sha256)
    return await drawThumbnail({ path, longestSidePx: LONGEST_SIDE_PX, format: FORMAT }, { owner: ownerId, signal })
  } catch (error) {
    log.warn({ err: error, orderId: id }, 'a mail about an order lacks the picture of an item')
    return undefined
  }
}

async function readLogo({ config: { shopLogo }, log }: ContentDeps): Promise<MailPicture | undefined> {
  if (shopLogo === undefined) return undefined
  try {
    return { cid: 'logo', mediaType: shopLogo.mediaType, base64: (await readFile(shopLogo.path)).toString('base64') }
  } catch (error) {
    log.error({ err: error }, 'the logo of the shop (PLATEN_SHOP_LOGO) cannot be read')
    return undefined
  }
}
