import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { madeFrom } from '../made-from.ts'
import { REVALIDATE, sendPage } from '../page-routes.ts'
import { type StoredPage, storedPage } from '../pages.ts'
import { renderShopPage, type ShopLook, type ShopPage } from './shop-page.ts'
import { chooseTexts, type ShopTexts } from './shop-texts.ts'

/** The query of each page: the language that the reader wants. */
export const LanguageQuery = Type.Object({ lang: Type.Optional(Type.String()) })

export interface ShopPages {
  /** Returns what all pages have in common: the same object until the shop has changed. */
  look(): ShopLook
  /** Chooses the texts for the language of the reader. */
  textsFor(request: FastifyRequest): ShopTexts
  /** Sends a page in the language of the reader. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    pageOf: (texts: ShopTexts) => StoredPage,
    caching?: string,
  ): FastifyReply
  /** Renders a page. */
  render(page: ShopPage, texts: ShopTexts): StoredPage
  /** Prepares a page that changes only with the look. It is rendered with its first request, once for each language. */
  prepare(pageOf: (look: ShopLook, texts: ShopTexts) => ShopPage): (texts: ShopTexts) => StoredPage
}

export function createShopPages(look: () => ShopLook, allTexts: readonly ShopTexts[]): ShopPages {
  const render: ShopPages['render'] = (page, texts) =>
    storedPage('text/html; charset=utf-8', renderShopPage(look(), page, texts))
  const textsFor: ShopPages['textsFor'] = ({ query, headers }) => {
    const { lang } = query as Static<typeof LanguageQuery>
    const { languages } = look()
    const offered = languages.flatMap((language) => allTexts.filter(({ locale }) => locale === language))
    return chooseTexts(offered, lang, headers['accept-language'])
  }
  return {
    look,
    textsFor,
    render,
    send: (request, reply, pageOf, caching = REVALIDATE) => {
      reply.header('Vary', 'Accept-Language')
      return sendPage(request, reply, pageOf(textsFor(request)), caching)
    },
    prepare: (pageOf) => {
      const renderedWith = madeFrom(look, () => new Map<string, StoredPage>())
      return (texts) => {
        const rendered = renderedWith()
        const page = rendered.get(texts.locale) ?? render(pageOf(look(), texts), texts)
        rendered.set(texts.locale, page)
        return page
      }
    },
  }
}
