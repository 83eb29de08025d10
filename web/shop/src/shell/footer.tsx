import { LANGUAGES, type MessageKey, useText, useTexts } from '@platen/ui'
import { chrome } from './config.ts'
import { setLanguage } from './language.ts'
import { SCHEMES, type Scheme, setScheme, useScheme } from './scheme.ts'

const SCHEME_TEXTS: Readonly<Record<Scheme, MessageKey>> = {
  auto: 'shop.schemeAuto',
  light: 'shop.schemeLight',
  dark: 'shop.schemeDark',
}

export function Footer() {
  const { locale, text } = useTexts()
  return (
    <footer className="shop-footer">
      <LanguageChoice />
      <SchemeChoice />
      <div className="footer-links">
        {chrome.links[locale]?.map(({ label, url }) => (
          <a key={url} href={url}>
            {label}
          </a>
        ))}
        <a href="/developers">{text('shop.developers')}</a>
      </div>
    </footer>
  )
}

function LanguageChoice() {
  const { locale, text } = useTexts()
  return (
    <label className="footer-choice">
      <span>{text('shop.language')}</span>
      <select value={locale} onChange={(event) => setLanguage(event.target.value)}>
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {nameOf(language)}
          </option>
        ))}
      </select>
    </label>
  )
}

function SchemeChoice() {
  const text = useText()
  const scheme = useScheme()
  return (
    <label className="footer-choice">
      <span>{text('shop.scheme')}</span>
      <select
        value={scheme}
        onChange={({ target }) => setScheme(SCHEMES.find((known) => known === target.value) ?? 'auto')}
      >
        {SCHEMES.map((known) => (
          <option key={known} value={known}>
            {text(SCHEME_TEXTS[known])}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The name of a language in this language, which its readers recognize. */
export function nameOf(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
