import type { Page } from 'playwright-core'
import { call, signIn as callSignIn } from '../../client.ts'
import { button, type Scene, type SceneData, signIn } from '../scene.ts'

const section = (name: string, path: string): Scene => ({ name, show: (page, data) => signIn(page, data, path) })

/** All pictures so far have signed in. Leaves one other device. */
async function signOutOthers({ origin, email, password }: SceneData): Promise<void> {
  const { accessToken: token } = await callSignIn(origin, email, password)
  await call('POST', `${origin}/v1/api/auth/sessions/revoke-others`, { token })
}

async function openDialog(page: Page, data: SceneData, path: string, name: string): Promise<void> {
  await signIn(page, data, path)
  await button(page, name).first().click()
  await page.locator('[role=dialog], [role=alertdialog]').waitFor()
}

/** The sections of the account, with some of their dialogs, and the pages to which mails lead. */
export const ACCOUNT_SCENES: readonly Scene[] = [
  section('account', '/account'),
  section('account-security', '/account/security'),
  {
    name: 'account-devices',
    show: async (page, data) => {
      await signOutOthers(data)
      await signIn(page, data, '/account/devices')
    },
  },
  { ...section('account-activity', '/account/activity'), isFullPage: false },
  section('account-api-keys', '/account/api-keys'),
  section('account-data', '/account/data'),
  {
    name: 'account-new-key',
    isFullPage: false,
    show: (page, data) => openDialog(page, data, '/account/api-keys', data.text('account.newKey')),
  },
  {
    name: 'account-deletion',
    isFullPage: false,
    show: (page, data) => openDialog(page, data, '/account/data', data.text('account.deleteAccount')),
  },
  {
    name: 'account-authenticator',
    isFullPage: false,
    show: async (page, data) => {
      await signIn(page, data, '/account/security')
      await button(page, data.text('account.setUpApp')).click()
      await page.getByRole('dialog').getByRole('img').waitFor()
    },
  },
  {
    name: 'verify-email',
    show: async (page, { origin }) => {
      await page.goto(`${origin}/verify-email?token=unknown`)
      await page.locator('form').waitFor()
    },
  },
]
