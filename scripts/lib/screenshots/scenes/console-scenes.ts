import type { Page } from 'playwright-core'
import { openConsole, orderOf } from '../open-console.ts'
import { button, fillSignIn, heading, type Scene, settle } from '../scene.ts'

/** Opens the record of the first row of a list. */
async function openFirst(page: Page): Promise<void> {
  const list = page.url()
  await page.locator('.row-link').first().click()
  await page.waitForURL((url) => String(url) !== list)
  await heading(page).waitFor()
  await page.locator('.pl-skeleton').first().waitFor({ state: 'detached' })
}

export const CONSOLE_SCENES: readonly Scene[] = [
  {
    name: 'console-sign-in',
    show: async (page, { origin }) => {
      await page.goto(`${origin}/console`)
      await settle(page)
    },
  },
  {
    name: 'console-no-role',
    show: async (page, data) => {
      await page.goto(`${data.origin}/console`)
      await fillSignIn(page, data, data.email, data.password)
      await heading(page, data.text('console.noRoleTitle')).waitFor()
    },
  },
  { name: 'console-today', show: (page, data) => openConsole(page, data, '/today?days=7') },
  { name: 'console-orders', show: (page, data) => openConsole(page, data, '/orders') },
  {
    name: 'console-orders-filters',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/orders?country=DE')
      await button(page, data.text('console.filters')).click()
    },
  },
  { name: 'console-order-paid', show: (page, data) => openConsole(page, data, orderOf(data, 'paid')) },
  { name: 'console-order-held', show: (page, data) => openConsole(page, data, orderOf(data, 'asked')) },
  { name: 'console-order-parts', show: (page, data) => openConsole(page, data, orderOf(data, 'parts')) },
  {
    name: 'console-order-ship',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, orderOf(data, 'parts'))
      await button(page, data.text('console.actionShip')).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'console-order-refused',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, orderOf(data, 'shipped'))
      await button(page, data.text('console.notPossible')).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'console-order-counter', show: (page, data) => openConsole(page, data, `/orders/${data.counterOrderId}`) },
  {
    name: 'console-order-new',
    show: async (page, data) => {
      await openConsole(page, data, `/orders/new?again=${data.counterOrderId}`)
      await button(page, data.text('consoleNewOrder.calculate')).click()
      await page.locator('.sums').waitFor()
    },
  },
  {
    name: 'console-order-product',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, `/orders/new?again=${data.counterOrderId}`)
      await button(page, data.text('consoleNewOrder.addProduct')).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(data.text('console.product'), { exact: true }).selectOption({ index: 2 })
    },
  },
  { name: 'console-shipping', show: (page, data) => openConsole(page, data, '/settings/shipping') },
  { name: 'console-production', show: (page, data) => openConsole(page, data, '/production') },
  { name: 'console-customers', show: (page, data) => openConsole(page, data, '/customers') },
  {
    name: 'console-customer',
    show: async (page, data) => {
      await openConsole(page, data, `/customers?q=${data.email}`)
      await page.locator('[data-row]').first().click()
      await page.locator('.column [data-row]').first().waitFor()
    },
  },
  { name: 'console-people', show: (page, data) => openConsole(page, data, '/people') },
  {
    name: 'console-person',
    show: async (page, data) => {
      await openConsole(page, data, `/people?q=${data.email}`)
      await page.getByRole('link', { name: data.email }).click()
      await page.locator('.lines li').first().waitFor()
    },
  },
  {
    name: 'console-invite',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/people/invitations')
      await button(page, data.text('consolePeople.invite')).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'console-palette',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/orders')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('ada')
      await page.getByRole('option').nth(1).waitFor()
    },
  },
  {
    name: 'console-menu',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/today')
      const open = button(page, data.text('console.openNavigation'))
      if (await open.isVisible()) await open.click()
    },
  },
  { name: 'console-webhooks', show: (page, data) => openConsole(page, data, '/developers/webhooks') },
  {
    name: 'console-webhook-new',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/developers/webhooks')
      await button(page, data.text('consoleDevelopers.addEndpoint')).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'console-events', show: (page, data) => openConsole(page, data, '/developers/events') },
  { name: 'console-system', show: (page, data) => openConsole(page, data, '/system') },
  { name: 'console-audit', show: (page, data) => openConsole(page, data, '/system/audit') },
  {
    name: 'console-endpoint',
    show: (page, data) => openConsole(page, data, `/developers/webhooks/${data.endpointId}`),
  },
  { name: 'console-batch', show: (page, data) => openConsole(page, data, `/batches/${data.batchId}`) },
  { name: 'console-batches', show: (page, data) => openConsole(page, data, '/batches') },
  { name: 'console-settings-shop', show: (page, data) => openConsole(page, data, '/settings/shop') },
  { name: 'console-mails', show: (page, data) => openConsole(page, data, '/settings/mails') },
  {
    name: 'console-mail',
    show: async (page, data) => {
      await openConsole(page, data, '/settings/mails/order_shipped')
      await page.frameLocator('.mail-frame').getByRole('heading').first().waitFor()
    },
  },
  { name: 'console-taxes', show: (page, data) => openConsole(page, data, '/settings/taxes') },
  {
    name: 'console-bulk-ship',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/orders?status=partially_shipped')
      await page.locator('tbody .pl-check').first().click()
      await button(page, data.text('console.actionShip')).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'console-shipments-csv',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/orders')
      await button(page, data.text('console.importShipments')).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'console-api-keys', show: (page, data) => openConsole(page, data, '/developers/api-keys') },
  { name: 'console-catalogue', show: (page, data) => openConsole(page, data, '/catalogue') },
  {
    name: 'console-product',
    show: async (page, data) => {
      await openConsole(page, data, '/catalogue')
      await page.locator('a[data-row]').first().click()
      await page.locator('.price-preview table').waitFor()
    },
  },
  { name: 'console-templates', show: (page, data) => openConsole(page, data, '/catalogue/templates') },
  { name: 'console-color-profiles', show: (page, data) => openConsole(page, data, '/catalogue/color-profiles') },
  { name: 'console-storage', show: (page, data) => openConsole(page, data, '/settings/storage') },
  { name: 'console-station', show: (page, data) => openConsole(page, data, `/production/${data.orders.paid}`) },
  { name: 'console-requests', show: (page, data) => openConsole(page, data, '/developers/requests') },
  {
    name: 'console-request',
    show: async (page, data) => {
      await openConsole(page, data, '/developers/requests')
      await openFirst(page)
    },
  },
  {
    name: 'console-event',
    show: async (page, data) => {
      await openConsole(page, data, '/developers/events')
      await openFirst(page)
    },
  },
  { name: 'console-installation', show: (page, data) => openConsole(page, data, '/settings/installation') },
  { name: 'console-signing-keys', show: (page, data) => openConsole(page, data, '/settings/signing-keys') },
  { name: 'console-registration', show: (page, data) => openConsole(page, data, '/settings/registration') },
  { name: 'console-factor-resets', show: (page, data) => openConsole(page, data, '/people/factor-resets') },
  { name: 'console-shipping-method', show: (page, data) => openConsole(page, data, '/settings/shipping/express') },
  {
    name: 'console-shortcuts',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/orders')
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'console-compare',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, orderOf(data, 'paid'))
      await button(page, data.text('console.comparePrintFile')).click()
      await page.getByRole('dialog').waitFor()
      await page.waitForLoadState('networkidle').catch(() => undefined)
    },
  },
  { name: 'console-product-new', show: (page, data) => openConsole(page, data, '/catalogue/new') },
]
