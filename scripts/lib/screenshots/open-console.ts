import type { Page } from 'playwright-core'
import { fillSignIn, heading, type SceneData } from './scene.ts'
import { ADMIN } from './shop-data.ts'

/** Opens a page of the console, by default as the administrator. */
export async function openConsole(page: Page, data: SceneData, path: string, who = ADMIN): Promise<void> {
  await page.goto(`${data.origin}/console${path}`)
  await fillSignIn(page, data, who.email, who.password)
  await page.locator('.console').waitFor()
  await heading(page).waitFor()
  // The stream of events is a request that does not end, so the page is not idle.
  await page.locator('.pl-skeleton').first().waitFor({ state: 'detached' })
}

export const orderOf = (data: SceneData, name: keyof SceneData['orders']): string => `/orders/${data.orders[name]}`
