import type { FooterLink } from '../../config/index.ts'
import type { ShopTexts } from './shop-texts.ts'

/** The link to the email address for questions, if the shop has one. */
export function supportLink(
  { shopSupportEmail: email }: { shopSupportEmail: string | null },
  texts: readonly ShopTexts[],
  language: string,
): FooterLink[] {
  const label = texts.find(({ locale }) => locale === language)?.text('shop.support')
  return email === null || label === undefined ? [] : [{ label, url: `mailto:${encodeURI(email)}` }]
}
