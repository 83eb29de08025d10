import type { Language } from '../../platform/languages.ts'
import { DE } from './de.ts'
import { EN } from './en.ts'
import type { Texts } from './texts.ts'

/** Returns the texts of the service in a language. */
export const textsOf = (language: Language): Texts => ({ en: EN, de: DE })[language]
