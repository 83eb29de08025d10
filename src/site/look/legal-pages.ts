import { readFileSync } from 'node:fs'
import type { PageFile } from '../../config/index.ts'
import { escapeHtml } from '../html.ts'
import { renderPageMarkdown } from './markdown.ts'

/** A page of the shop in one language, such as its imprint. */
export interface LegalPage {
  name: string
  title: string
  /** HTML of the main part. */
  main: string
}

/** All pages of the shop, by name and language. */
export interface LegalPages {
  names: readonly string[]
  /** Returns a page for readers of a language. */
  require(name: string, language: string): LegalPage
}

export function readLegalPages(files: readonly PageFile[], languages: readonly string[]): LegalPages {
  const byName = Map.groupBy(files, ({ name }) => name)
  const pages = new Map<string, LegalPage>()
  for (const [name, variants] of byName) {
    for (const language of languages) {
      const wanted = variants.find((file) => file.language === language)
      const chosen = wanted ?? variants.find((file) => file.language === undefined) ?? variants[0]
      if (chosen !== undefined) pages.set(`${name}.${language}`, readPage(chosen, language))
    }
  }
  return {
    names: [...byName.keys()],
    require: (name, language) => {
      const page = pages.get(`${name}.${language}`)
      if (page === undefined) throw new RangeError(`There is no page ${name} in ${language}`)
      return page
    },
  }
}

function readPage({ name, path, language: own }: PageFile, language: string): LegalPage {
  const { title, html } = renderPageMarkdown(readFileSync(path, 'utf8'))
  const lang = own === undefined || own === language ? '' : ` lang="${own}"`
  const main = `<div class="page"${lang}><div class="page-head"><h1>${escapeHtml(title)}</h1></div><div class="prose">${html}</div></div>`
  return { name, title, main }
}
