import type { Page } from 'playwright-core'
import { button, type Shop, signIn } from './shop.ts'

/** Opens a page of the console on a new tab, and signs in on it. */
export async function openConsole(
  { open, url }: Pick<Shop, 'open' | 'url'>,
  account: { email: string; password: string },
  path = '',
): Promise<Page> {
  const page = await open(`${url}/console${path}`)
  await signIn(page, account)
  return page
}

/** Chooses an action on the selected orders that is in the menu. */
export async function chooseMore(page: Page, name: string, menu = 'More actions'): Promise<void> {
  await button(page, menu).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
