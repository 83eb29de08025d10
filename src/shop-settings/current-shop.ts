import type { Auth } from '../auth/index.ts'
import type { Config } from '../config/index.ts'
import type { Db } from '../platform/db/index.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { type Shop, type ShopDefaults, shopOf, shopWith } from './shop.ts'
import { findSettings } from './store.ts'
import { NEVER_SET } from './stored-settings.ts'

/** Topic of the notification that the settings have changed. */
export const SETTINGS_CHANGED = 'shop_settings'

/** How often a process reads the settings while it receives no notifications. */
const POLL_MS = 2_000

/** The shop as this process knows it. Pages and mails need it without a query. */
export interface CurrentShop {
  /** Returns the same object until a setting has changed. */
  current(): Shop
  readAgain(): Promise<void>
  /** Reads the settings, and then again after each change on any node. */
  follow(notices: Auth['notices']): Promise<void>
  close(): void
}

export function createCurrentShop({ db, log }: { db: Db; log: Log }, defaults: ShopDefaults): CurrentShop {
  let shop = shopWith(defaults, NEVER_SET)
  let poll: NodeJS.Timeout | undefined
  const readAgain = async (): Promise<void> => {
    const read = await shopOf(db, defaults, await findSettings(db))
    // Reads may end in another order than they began.
    if (read.settings.revision > shop.settings.revision) shop = read
  }
  return {
    current: () => shop,
    readAgain,
    follow: async (notices) => {
      notices.onNotice(SETTINGS_CHANGED, readAgain)
      await readAgain()
      poll = setInterval(() => {
        if (notices.isTrusted()) return
        readAgain().catch((error: unknown) => log.debug({ err: error }, 'the shop settings could not be read'))
      }, POLL_MS).unref()
    },
    close: () => clearInterval(poll),
  }
}

/**
 * Returns settings whose values for the shop are always the present ones. Code that needs a value must read it when it
 * needs it, because a copy stays as it is.
 */
export function withCurrentShop(config: Config, { current }: Pick<CurrentShop, 'current'>): Config {
  const live = {
    get registration() {
      return current().registration
    },
    get shopName() {
      return current().shopName
    },
    get shopSupportEmail() {
      return current().shopSupportEmail
    },
    get shopLanguages() {
      return current().shopLanguages
    },
    get shopColor() {
      return current().shopColor
    },
    get shopLogo() {
      return current().shopLogo
    },
    get look() {
      return current().look
    },
  }
  return Object.defineProperties({ ...config }, Object.getOwnPropertyDescriptors(live))
}
