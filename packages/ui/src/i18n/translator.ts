import { IntlMessageFormat } from 'intl-messageformat'

export type MessageValues = Readonly<Record<string, string | number>>

/** A text in ICU MessageFormat, or what the build of the applications has parsed of it. */
type Message = ConstructorParameters<typeof IntlMessageFormat>[0]

/** Texts by their keys. */
export type Messages<Key extends string = string> = Readonly<Record<Key, Message>>

export interface Translator<Key extends string> {
  /** BCP 47 tag of the language of the texts. */
  locale: string
  direction: 'ltr' | 'rtl'
  /** Returns a text with its values. */
  text(key: Key, values?: MessageValues): string
}

/** Creates the translator of a language. */
export function createTranslator<Key extends string>(locale: string, messages: Messages<Key>): Translator<Key> {
  const formats = new Map<Key, IntlMessageFormat>()
  const formatOf = (key: Key): IntlMessageFormat => {
    const known = formats.get(key)
    if (known !== undefined) return known
    // Messages contain no markup, so `<` is a character.
    const format = new IntlMessageFormat(messages[key], locale, undefined, { ignoreTag: true })
    formats.set(key, format)
    return format
  }
  return {
    locale,
    direction: directionOf(locale),
    text: (key, values) => {
      const message = messages[key]
      // A text without syntax needs no parser, which the applications leave out.
      if (typeof message === 'string' && !/[{}']/.test(message)) return message
      return String(formatOf(key).format(values))
    },
  }
}

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg'])

function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr'
}
