import type { FooterLink } from '../../config/index.ts'
import { escapeHtml } from '../html.ts'
import type { SiteSettings } from '../layout.ts'
import { readLegalPages } from '../look/legal-pages.ts'
import { createLookFiles, type LogoPicture } from '../look/look-files.ts'
import type { OwnLook } from '../shop/look-routes.ts'
import type { ShopLook } from '../shop/shop-page.ts'
import { withSettings } from './with-settings.ts'

/**
 * Reads all files that the settings name.
 *
 * @param html the built HTML of the shop
 */
export function createShopLook(html: string, settings: SiteSettings, languages: readonly string[]): ShopLook & OwnLook {
  const { origin, shopName, look } = settings
  const { files, head, logo } = createLookFiles(settings)
  const pages = readLegalPages(look.pages, languages)
  const linksIn = (language: string): FooterLink[] => [
    ...look.links,
    ...pages.names.map((name) => ({
      label: pages.require(name, language).title,
      url: `/pages/${name}?lang=${language}`,
    })),
  ]
  const links = Object.fromEntries(languages.map((language) => [language, linksIn(language)]))
  const template = withChrome(withSettings(html, settings), { logo, links })
  return { template, origin, shopName, files, head, logo, linksIn, pages }
}

interface Chrome {
  logo: LogoPicture | undefined
  links: Readonly<Record<string, readonly FooterLink[]>>
}

const withChrome = (html: string, chrome: Chrome): string =>
  html.replaceAll('%CHROME%', () => escapeHtml(JSON.stringify(chrome)))
