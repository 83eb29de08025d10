import { PATHS } from '../../../packages/ui/src/components/icon/paths.ts'
import type { FooterLink } from '../../config/index.ts'
import { escapeHtml } from '../html.ts'
import type { LogoPicture } from '../look/look-files.ts'
import type { ShopTexts } from './shop-texts.ts'

/** What the header and the footer of each page contain. */
export interface ShopFrame {
  shopName: string
  logo: LogoPicture | undefined
  /** Links of the footer in a language. */
  linksIn(language: string): readonly FooterLink[]
}

/** Pages that each customer has. */
const OWN_PAGES = [
  ['/designs', 'shop.designs', 'layers'],
  ['/cart', 'shop.cart', 'cart'],
  ['/account', 'shop.account', 'user'],
] as const

/**
 * Puts the header and the footer of the shop around a page, as far as they need no script.
 *
 * @param hasProgram whether the program of the shop will replace the page
 */
export function frame(main: string, shop: ShopFrame, texts: ShopTexts, hasProgram: boolean): string {
  const text = (key: `shop.${string}`): string => escapeHtml(texts.text(key))
  const skip = `<a class="skip pl-button primary" href="#main">${text('shop.skip')}</a>\n`
  const links = OWN_PAGES.map(([url, key, icon]) => navigationLink(url, text(key), PATHS[icon]))
  const navigation = `\n<nav aria-label="${text('shop.navigation')}">${links.join('')}</nav>`
  const footerLinks = shop
    .linksIn(texts.locale)
    .map(({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`)
  // Only the program knows who the customer is, and adds links after it has started.
  return `${hasProgram ? '' : skip}<header class="shop-header"><a class="shop-name" href="/">${nameOf(shop)}</a>${hasProgram ? '' : navigation}</header>
<main${hasProgram ? '' : ' id="main" tabindex="-1"'}>${main}</main>
<footer class="shop-footer"><div class="footer-links">${footerLinks.join('')}<a href="/developers">${text('shop.developers')}</a></div></footer>`
}

function navigationLink(url: string, label: string, path: string): string {
  return `<a class="pl-button quiet" href="${url}"><svg class="pl-icon" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg><span class="wide-only">${label}</span></a>`
}

function nameOf({ shopName, logo }: ShopFrame): string {
  if (logo === undefined) return escapeHtml(shopName)
  const { url, width, height } = logo
  return `<img class="shop-logo" src="${url}" width="${width}" height="${height}" alt="${escapeHtml(shopName)}">`
}
