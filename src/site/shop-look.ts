import { escapeHtml } from './html.ts'
import type { PageContent } from './layout.ts'

/**
 * Renders a page with the style sheets of the shop, and without its program.
 *
 * @param shopHtml the built HTML of the shop, with the settings in it
 */
export function renderInShopLook(shopHtml: string, { title, main }: PageContent, shopName: string): string {
  const shop = escapeHtml(shopName)
  // Functions as replacements, because texts may contain `$&`.
  return shopHtml
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)} – ${shop}</title>`)
    .replace('<!--content-->', '')
    .replaceAll(/\s*<script\b[^>]*>.*?<\/script>/gs, '')
    .replaceAll(/\s*<link rel="modulepreload"[^>]*>/g, '')
    .replace('<div id="app"></div>', () => `<div id="app">${frame(main, shop)}</div>`)
}

function frame(main: string, shop: string): string {
  return `<a class="skip pl-button primary" href="#main">Skip to content</a>
<header class="shop-header"><a class="shop-name" href="/">${shop}</a>
<nav aria-label="Site"><a class="pl-button quiet" href="/docs">Documentation</a></nav></header>
<main id="main" tabindex="-1"><div class="page">
${main}
</div></main>
<footer class="shop-footer"><a href="/developers">For developers</a></footer>`
}
