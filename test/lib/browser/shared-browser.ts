import { after, type TestContext } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'

/** Opens profiles of a browser. A profile shares no cookies, storage, caches or permissions with others. */
export interface Profiles {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Opens a page in a profile of its own. */
  newPage(options?: BrowserContextOptions): Promise<Page>
}

/** The browser of this process, which stays open for further tests. */
let browser: Promise<Browser> | undefined
const ends: (() => unknown)[] = []

after(async () => {
  for (const end of ends) await end()
})

/**
 * Opens profiles of a browser that all tests of this process share, because starting it takes longer than opening a
 * page. When the test ends, its profiles are closed.
 */
export async function openProfiles(t: Pick<TestContext, 'after'>): Promise<Profiles> {
  const shared = await sharedBrowser()
  const contexts: BrowserContext[] = []
  t.after(async () => {
    for (const context of contexts) await context.close()
  })
  const newContext = async (options?: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await shared.newContext(options)
    contexts.push(context)
    return context
  }
  return { newContext, newPage: async (options) => (await newContext(options)).newPage() }
}

async function sharedBrowser(): Promise<Browser> {
  // A browser that crashed has failed its test, and must not fail those that follow.
  if (browser !== undefined && !(await browser).isConnected()) browser = undefined
  browser ??= launchBrowser({ after: (end) => void ends.push(end as () => unknown) })
  return browser
}
