import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { createFormats, type Formats } from './formats.ts'
import { loadMessages, type MessageGroup, type MessageKey } from './messages.ts'
import { createTranslator, type Translator } from './translator.ts'

/** The texts and formats of the language that the user reads. */
export interface Texts extends Translator<MessageKey> {
  formats: Formats
  /** The groups of texts that are there. */
  groups: readonly MessageGroup[]
}

const Context = createContext<Texts | undefined>(undefined)

/** Returns the customer's variant of a language, such as `en-GB` for `en`, which decides about dates and numbers. */
function regionalTag(language: string): string {
  return navigator.languages.find((tag) => tag.split('-')[0] === language && isLocale(tag)) ?? language
}

/** Some systems have languages that `Intl` refuses, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** Loads groups of texts of a language. The promise fails if the network does. */
async function loadTexts(language: string, groups: readonly MessageGroup[]): Promise<Texts> {
  const messages = await loadMessages(language, groups)
  return { ...createTranslator(language, messages), formats: createFormats(regionalTag(language)), groups }
}

export interface TextProviderProps {
  texts: Texts
  children: ReactNode
}

/** Gives its children a language: texts, formats, and those of React Aria. */
export function TextProvider({ texts, children }: TextProviderProps) {
  return (
    <Context value={texts}>
      <I18nProvider locale={texts.locale}>{children}</I18nProvider>
    </Context>
  )
}

/** Returns the texts of the nearest `TextProvider`. */
export function useTexts(): Texts {
  const texts = useContext(Context)
  if (texts === undefined) throw new Error('The component has no TextProvider above it')
  return texts
}

/** Returns the function that gives texts by their keys. */
export function useText(): Texts['text'] {
  return useTexts().text
}

/** Loads groups of texts of a language, and keeps the present ones until they are there. */
export function useLoadedTexts(language: string, groups: readonly MessageGroup[]): Texts | undefined {
  const [texts, setTexts] = useState<Texts>()
  const names = groups.join(' ')
  useEffect(() => {
    let isCurrent = true
    const load = async (triesLeft: number): Promise<void> => {
      try {
        const loaded = await loadTexts(language, names.split(' ') as MessageGroup[])
        if (isCurrent) setTexts(loaded)
      } catch {
        if (isCurrent && triesLeft > 0) setTimeout(() => void load(triesLeft - 1), 2_000)
      }
    }
    void load(10)
    return () => {
      isCurrent = false
    }
  }, [language, names])
  return texts
}
