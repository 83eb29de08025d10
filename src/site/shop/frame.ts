import { PATHS } from '../../../packages/ui/src/components/icon/paths.ts'
import { escapeHtml } from '../html.ts'
import type { ShopTexts } from './shop-texts.ts'

/** What the header and the footer of each page contain. */
export interface ShopFrame {
  shopName: string
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
export function frame(main: string, { shopName }: ShopFrame, texts: ShopTexts, hasProgram: boolean): string {
  const text = (key: `shop.${string}`): string => escapeHtml(texts.text(key))
  const skip = `<a class="skip pl-button primary" href="#main">${text('shop.skip')}</a>\n`
  const links = OWN_PAGES.map(([url, key, icon]) => navigationLink(url, text(key), PATHS[icon]))
  const navigation = `\n<nav aria-label="${text('shop.navigation')}">${links.join('')}</nav>`
  // Only the program knows who the customer is, and adds links after it has started.
  return `${hasProgram ? '' : skip}<header class="shop-header"><a class="shop-name" href="/">${escapeHtml(shopName)}</a>${hasProgram ? '' : navigation}</header>
<main${hasProgram ? '' : ' id="main" tabindex="-1"'}>${main}</main>
<footer class="shop-footer"><a href="/developers">${text('shop.developers')}</a></footer>`
}

function navigationLink(url: string, label: string, path: string): string {
  return `<a class="pl-button quiet" href="${url}"><svg class="pl-icon" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg><span class="wide-only">${label}</span><span class="narrow-only visually-hidden">${label}</span></a>`
}
