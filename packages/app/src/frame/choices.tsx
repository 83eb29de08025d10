import { type MessageKey, useText, useTexts } from '@platen/ui'
import { pageLanguages } from './config.ts'
import { setLanguage } from './language.ts'
import { SCHEMES, type Scheme, setScheme, useScheme } from './scheme.ts'

const SCHEME_TEXTS: Readonly<Record<Scheme, MessageKey>> = {
  auto: 'common.schemeAuto',
  light: 'common.schemeLight',
  dark: 'common.schemeDark',
}

/** Shown only if there is a choice. */
export function LanguageChoice() {
  const { locale, text } = useTexts()
  if (pageLanguages.length < 2) return null
  return (
    <label className="app-choice">
      <span>{text('common.language')}</span>
      <select value={locale} onChange={(event) => setLanguage(event.target.value)}>
        {pageLanguages.map((language) => (
          <option key={language} value={language} lang={language}>
            {nameOfLanguage(language)}
          </option>
        ))}
      </select>
    </label>
  )
}

export function SchemeChoice() {
  const text = useText()
  const scheme = useScheme()
  return (
    <label className="app-choice">
      <span>{text('common.scheme')}</span>
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
export function nameOfLanguage(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
