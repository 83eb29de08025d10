import type { Page } from 'playwright-core'
import { openConsole, orderOf } from '../open-console.ts'
import { button, type Scene, type SceneData } from '../scene.ts'

/** Opens a page of the console and, by a button of it, a dialog. */
async function openDialog(page: Page, data: SceneData, path: string, title: string): Promise<void> {
  await openConsole(page, data, path)
  await button(page, data.text(title)).first().click()
  await page.getByRole('dialog').waitFor()
}

/** Opens the table of orders and selects the paid order and the one on hold, which are the second and the third. */
async function openSelected(page: Page, data: SceneData): Promise<void> {
  await openConsole(page, data, '/orders?sort=createdAt')
  for (const row of [1, 2]) await page.locator('tbody .pl-check').nth(row).click()
  await button(page, data.text('console.bulkClear')).waitFor()
}

/** A line without a carrier, two with orders that do not exist, and a column that the service does not know. */
const FAULTY_CSV = `order;carrier;tracking number;weight
PL-0000-0001;DHL;00340434161094042557;2
PL-0000-0002;;00340434161094042564;2
4711;GLS;;1
`

/** Dialogs of the console with what an operator has done before, and the console of a restricted role. */
export const CONSOLE_DIALOG_SCENES: readonly Scene[] = [
  {
    name: 'console-dialog-hold',
    isFullPage: false,
    show: (page, data) => openDialog(page, data, orderOf(data, 'paid'), 'console.actionHold'),
  },
  {
    name: 'console-dialog-refund',
    isFullPage: false,
    show: (page, data) => openDialog(page, data, orderOf(data, 'shipped'), 'console.actionRefund'),
  },
  {
    name: 'console-dialog-return',
    isFullPage: false,
    show: (page, data) => openDialog(page, data, orderOf(data, 'delivered'), 'console.actionReturn'),
  },
  { name: 'console-bulk-selected', show: openSelected },
  {
    name: 'console-dialog-batch',
    isFullPage: false,
    show: async (page, data) => {
      await openSelected(page, data)
      await button(page, data.text('console.bulkMore')).click()
      await page.getByRole('menuitem', { name: data.text('console.batchAdd') }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'console-csv-faults',
    isFullPage: false,
    show: async (page, data) => {
      await openDialog(page, data, '/orders', 'console.importShipments')
      const dialog = page.getByRole('dialog')
      const file = { name: 'parcels.csv', mimeType: 'text/csv', buffer: Buffer.from(FAULTY_CSV) }
      await dialog.locator('input[type=file]').setInputFiles(file)
      await dialog.locator('.faults').scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'console-customer-edit',
    isFullPage: false,
    show: async (page, data) => {
      await openConsole(page, data, '/customers?q=linde')
      await page.locator('[data-row]').first().click()
      await button(page, data.text('consoleCustomers.edit')).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'console-invitations', show: (page, data) => openConsole(page, data, '/people/invitations') },
  { name: 'console-shipping-new', show: (page, data) => openConsole(page, data, '/settings/shipping/new') },
  {
    name: 'console-delivery',
    show: async (page, data) => {
      await openConsole(page, data, `/developers/webhooks/${data.endpointId}/deliveries/${data.deliveryId}`)
      await page.locator('.attempts li').first().waitFor()
    },
  },
  { name: 'console-packing-orders', show: (page, data) => openConsole(page, data, '/orders', data.packer) },
  {
    name: 'console-packing-order',
    show: (page, data) => openConsole(page, data, orderOf(data, 'parts'), data.packer),
  },
]
