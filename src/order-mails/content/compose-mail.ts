import type { Order, OrderBody } from '../../orders/index.ts'
import type { MailPicture } from '../../platform/messages/mail-pictures.ts'
import type { MailCause } from '../causes.ts'
import { findEditedTexts } from '../edited-texts/store.ts'
import type { ContentDeps } from './deps.ts'
import type { MailOrder } from './mail-order.ts'
import { addPictures } from './pictures.ts'
import type { RenderedMail } from './templates.ts'
import { type MailView, type ViewOptions, viewOf } from './view.ts'

export interface ComposedMail extends RenderedMail {
  pictures: MailPicture[]
}

/**
 * Creates the content of a mail.
 *
 * @param past the order as it was when the cause happened, so that a late mail states what it was sent for
 * @param locale the language of the customer
 */
export async function composeMail(
  deps: ContentDeps,
  cause: MailCause,
  { order, past, locale }: { order: Order; past: OrderBody; locale: string | null },
): Promise<ComposedMail> {
  const edited = await findEditedTexts(deps.db, cause.kind)
  const view = composeView(deps, cause, past, { locale, languages: deps.config.shopLanguages, edited })
  const pictures = await addPictures(deps, view, order)
  return { ...(await deps.render(view)), pictures }
}

/** Collects the variables of a mail in the present look of the shop. */
export function composeView(
  { config }: Pick<ContentDeps, 'config'>,
  cause: MailCause,
  order: MailOrder,
  options: Pick<ViewOptions, 'locale' | 'languages' | 'edited'>,
): MailView {
  const { shopName: name, shopUrl: url, shopColor: color, shopLogo } = config
  return viewOf(order, cause, { ...options, shop: { name, url, color }, hasLogo: shopLogo !== undefined })
}
