import { LANGUAGES } from '@platen/ui'

/** Returns what the service has put into the page: the content of a `meta` element. */
export const metaContent = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''

/** Name of the shop: `PLATEN_SHOP_NAME`. */
export const shopName = metaContent('platen-shop-name')

/** Languages that the page offers, separated by commas. The first one is for readers of all others. */
const offered = metaContent('platen-languages').split(', ')

/** The languages of the page. The console, whose pages name none, has all of them. */
export const pageLanguages: readonly string[] = offered.some((language) => LANGUAGES.includes(language))
  ? offered.filter((language) => LANGUAGES.includes(language))
  : LANGUAGES

/** Whether mails can be read at `/dev/outbox/mails`, because the service is not in production. */
export const hasOutbox = metaContent('platen-outbox') === 'yes'

export interface SignInSettings {
  /** The configured providers, such as Google. `name` is part of the URLs of the API. */
  providers: readonly { name: string; title: string }[]
  /** Whether the service can send text messages. */
  hasSms: boolean
  passwordMinLength: number
  /** Whether everyone may register. */
  isRegistrationOpen: boolean
}

/** How users can sign in to this installation. */
export const signInSettings = JSON.parse(metaContent('platen-sign-in')) as SignInSettings
