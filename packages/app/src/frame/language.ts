import { chooseLanguage } from '@platen/ui'
import { useEffect, useSyncExternalStore } from 'react'
import type { Account } from '../session/account.ts'
import { platen } from '../session/platen.ts'
import { readStored, store } from '../session/stored.ts'
import { pageLanguages } from './config.ts'

const listeners = new Set<() => void>()
let language = firstLanguage()

/** The language of the URL, then the one that the customer has chosen, then those of the browser. */
function firstLanguage(): string {
  const asked = new URLSearchParams(location.search).get('lang')
  const wanted = [asked, readStored('platen.language'), ...navigator.languages]
  return chooseLanguage(
    wanted.filter((tag) => typeof tag === 'string'),
    pageLanguages,
  )
}

function set(next: string): void {
  language = next
  for (const listener of listeners) listener()
}

/** Changes the language, and remembers the choice of the customer. */
export function setLanguage(next: string): void {
  store('platen.language', next)
  set(next)
}

export function useLanguage(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => language,
  )
}

/** Uses the language of the account, unless this browser has a choice of its own. A new account gets that of the page. */
export function useLanguageOf(account: Account): void {
  const locale = account.kind === 'user' ? account.user.locale : undefined
  useEffect(() => {
    // If it fails, the next page tries again.
    if (locale === null) platen.me.update({ locale: language }).catch(() => undefined)
    const isChosen = readStored('platen.language') !== undefined || new URLSearchParams(location.search).has('lang')
    if (locale && !isChosen) set(chooseLanguage([locale, language], pageLanguages))
  }, [locale])
}
