import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createFormats, type Formats } from '../../../packages/ui/src/i18n/formats.ts'
import { chooseLanguage } from '../../../packages/ui/src/i18n/languages.ts'
import { createTranslator, type Translator } from '../../../packages/ui/src/i18n/translator.ts'
import { acceptedLanguages } from '../../platform/http/input/accepted-languages.ts'
import { lazily } from '../../platform/lazily.ts'

const FOLDER = join(import.meta.dirname, '../../../packages/ui/messages')

/** The texts of the shop in one language, the same as in the browser. */
export interface ShopTexts extends Pick<Translator<string>, 'locale' | 'direction'> {
  text(key: `shop.${string}`, values?: Record<string, string | number>): string
  formats: Formats
}

/** Reads the texts of all languages, once in a process. English is the first one. */
export const readShopTexts: () => readonly ShopTexts[] = lazily(() => {
  const files = globSync('*.json', { cwd: FOLDER }).sort((a, b) => Number(b === 'en.json') - Number(a === 'en.json'))
  return files.map((file) => {
    const { shop } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { shop: Record<string, string> }
    const messages = Object.fromEntries(Object.entries(shop).map(([name, text]) => [`shop.${name}`, text]))
    const translator = createTranslator(basename(file, '.json'), messages)
    return { ...translator, text: translator.text, formats: createFormats(translator.locale) }
  })
})

/**
 * Chooses the language of a page.
 *
 * @param asked the language of the URL, if it names one
 * @param accepted the header `Accept-Language`
 */
export function chooseTexts(
  all: readonly ShopTexts[],
  asked: string | undefined,
  accepted: string | undefined,
): ShopTexts {
  const wanted = asked === undefined ? [] : [asked]
  const locale = chooseLanguage(
    [...wanted, ...acceptedLanguages(accepted)],
    all.map((texts) => texts.locale),
  )
  const chosen = all.find((texts) => texts.locale === locale)
  if (chosen === undefined) throw new Error('The shop has no texts')
  return chosen
}
