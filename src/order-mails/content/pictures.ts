import { readFile } from 'node:fs/promises'
import { findItemPreviews, type Order } from '../../orders/index.ts'
import { networkOfShare } from '../../platform/fair-share.ts'
import type { MailPicture } from '../../platform/messages/mail-pictures.ts'
import { findShare } from '../../platform/newcomers.ts'
import type { ContentDeps } from './deps.ts'
import type { MailView } from './view.ts'

/** Mails show pictures with half of this width, so that they are sharp on fine screens. */
const LONGEST_SIDE_PX = 192

/** The header of a mail shows the logo with half of this width. */
const LOGO_PX = 400

/** Time for all pictures of a mail. Other mails wait for them. */
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
    const picture = preview && ({ sha256: preview.sha256, format: 'jpeg', longestSidePx: LONGEST_SIDE_PX } as const)
    const bytes = picture && !signal.aborted ? await draw(deps, picture, order, signal) : undefined
    if (bytes === undefined) continue
    const cid = `item-${index + 1}`
    item.picture = `cid:${cid}`
    pictures.push({ cid, mediaType: 'image/jpeg', base64: Buffer.from(bytes).toString('base64') })
  }
  return [...(await addLogo(deps, view, order, signal)), ...pictures]
}

/** Reads the logo. A mail whose logo cannot be read has none. */
export async function addLogo(
  deps: ContentDeps,
  view: MailView,
  order: Pick<Order, 'id' | 'ownerId'>,
  signal: AbortSignal,
): Promise<MailPicture[]> {
  const logo = view.shop.logo === null ? undefined : await readLogo(deps, order, signal)
  if (logo !== undefined) return [logo]
  view.shop.logo = null
  return []
}

async function draw(
  { db, storage, drawThumbnail, pictures, log }: ContentDeps,
  { sha256, format, longestSidePx }: { sha256: string; format: 'jpeg' | 'png'; longestSidePx: number },
  { id, ownerId }: Pick<Order, 'id' | 'ownerId'>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const make = async () => {
    // Another owner than the customer, behind whose own slow jobs the mail would wait. The new customers of a network are
    // one owner, because a client may register any number of accounts.
    const owner = `mails of ${networkOfShare(await findShare(db, ownerId))}`
    return drawThumbnail({ path: await storage.localPath(sha256), longestSidePx, format }, { owner, signal })
  }
  try {
    // Every mail has the logo, and an order gets several mails.
    return await pictures.read(`${sha256} ${format} ${longestSidePx}`, { account: ownerId, make })
  } catch (error) {
    log.warn({ err: error, orderId: id }, 'a mail about an order lacks a picture')
    return undefined
  }
}

/** Not all mail programs show WebP, the format of other pages. PNG keeps the transparency of an uploaded logo. */
async function readLogo(
  deps: ContentDeps,
  order: Pick<Order, 'id' | 'ownerId'>,
  signal: AbortSignal,
): Promise<MailPicture | undefined> {
  const { shopLogo } = deps.config
  if (shopLogo === undefined) return undefined
  if ('id' in shopLogo) {
    const picture = { sha256: shopLogo.sha256, format: 'png', longestSidePx: LOGO_PX } as const
    const bytes = await draw(deps, picture, order, signal)
    return bytes && { cid: 'logo', mediaType: 'image/png', base64: Buffer.from(bytes).toString('base64') }
  }
  try {
    return { cid: 'logo', mediaType: shopLogo.mediaType, base64: (await readFile(shopLogo.path)).toString('base64') }
  } catch (error) {
    deps.log.error({ err: error }, 'the logo of the shop (PLATEN_SHOP_LOGO) cannot be read')
    return undefined
  }
}
