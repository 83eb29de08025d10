import { readFileSync } from 'node:fs'
import type { FooterLink } from '../../config/index.ts'
import { escapeHtml } from '../html.ts'
import type { SiteSettings } from '../layout.ts'
import { readLegalPages } from '../look/legal-pages.ts'
import { createLookFiles, type LogoPicture } from '../look/look-files.ts'
import { madeFrom } from '../made-from.ts'
import type { StoredPage } from '../pages.ts'
import type { OwnLook } from '../shop/look-routes.ts'
import type { ShopLook } from '../shop/shop-page.ts'
import type { ShopTexts } from '../shop/shop-texts.ts'
import { supportLink } from '../shop/support-link.ts'
import { withSettings } from './with-settings.ts'

/** Files of earlier looks that are still served, because browsers show pages that name them. */
const MAX_FILES = 100

/**
 * Reads all files that the settings name, once. So a page never depends on a file that was changed or deleted later.
 *
 * @param html the built HTML of the shop
 * @returns `look` makes the look again after the settings have changed
 */
export function createShopLook(
  html: string,
  settings: () => SiteSettings,
  texts: readonly ShopTexts[],
): OwnLook & { look(): ShopLook } {
  const languages = texts.map(({ locale }) => locale)
  const legalPages = readLegalPages(settings().look.pages, languages)
  const read = readOnce()
  const files = new Map<string, StoredPage>()
  const look = madeFrom(settings, (present): ShopLook => {
    const made = createLookFiles(present, read)
    retain(files, made.files)
    const linksIn = (language: string): FooterLink[] => [
      ...supportLink(present, texts, language),
      ...present.look.links,
      ...legalPages.names.map((name) => ({
        label: legalPages.require(name, language).title,
        url: `/pages/${name}?lang=${language}`,
      })),
    ]
    const links = Object.fromEntries(languages.map((language) => [language, linksIn(language)]))
    const template = withChrome(withSettings(html, present), { logo: made.logo, links })
    const { origin, shopName, shopLanguages } = present
    return { template, origin, shopName, languages: shopLanguages, head: made.head, logo: made.logo, linksIn }
  })
  look()
  const findFile = (path: string): StoredPage | undefined => {
    look()
    return files.get(path)
  }
  return { look, findFile, legalPages }
}

function readOnce(): (path: string) => Buffer {
  const known = new Map<string, Buffer>()
  return (path) => {
    const bytes = known.get(path) ?? readFileSync(path)
    known.set(path, bytes)
    return bytes
  }
}

/** Adds files. If there are too many, the oldest ones are removed. */
function retain(files: Map<string, StoredPage>, added: ReadonlyMap<string, StoredPage>): void {
  for (const [path, file] of added) {
    files.delete(path)
    files.set(path, file)
  }
  for (const path of files.keys()) {
    if (files.size <= MAX_FILES) return
    files.delete(path)
  }
}

interface Chrome {
  logo: LogoPicture | undefined
  links: Readonly<Record<string, readonly FooterLink[]>>
}

const withChrome = (html: string, chrome: Chrome): string =>
  html.replaceAll('%CHROME%', () => escapeHtml(JSON.stringify(chrome)))
