import { button, type Scene, signIn } from './scene.ts'

const section = (name: string, path: string): Scene => ({ name, show: (page, data) => signIn(page, data, path) })

/** The sections of the account, with some of their dialogs, and the pages to which mails lead. */
export const ACCOUNT_SCENES: readonly Scene[] = [
  section('account', '/account'),
  section('account-security', '/account/security'),
  section('account-devices', '/account/devices'),
  section('account-activity', '/account/activity'),
  section('account-api-keys', '/account/api-keys'),
  section('account-data', '/account/data'),
  {
    name: 'account-new-key',
    isFullPage: false,
    show: async (page, data) => {
      await signIn(page, data, '/account/api-keys')
      await button(page, data.text('account.newKey')).first().click()
      await page.getByRole('dialog').waitFor()
    },
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
