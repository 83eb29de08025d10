import { execFile } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../test/lib/browser/browser.ts'
import { makeLargePhoto } from '../lib/large-photo.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'
import { createPerson, type Person } from './person.ts'

const BUILD = join(import.meta.dirname, '../../scripts/build-web.ts')
const ADDRESS = {
  'Name of the recipient': 'Ada Lovelace',
  'Street and number': 'Chausseestraße 125',
  'Postal code': '10115',
  'Town or city': 'Berlin',
  'Email address': 'ada@example.com',
}

/** Measures a guest's first order at the pace of a person: a photo and two texts on a postcard, then the order. */
export async function benchJourney({ service }: Subject): Promise<void> {
  await promisify(execFile)(process.execPath, [BUILD])
  const ends: (() => unknown)[] = []
  try {
    const browser = await launchBrowser({ after: (end: unknown) => ends.push(end as () => unknown) })
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const buffer = Buffer.from(await makeLargePhoto(4_000, 3_000))
    const person = createPerson(page)
    const begin = performance.now()
    await page.goto(service.origin)
    await designPostcard(page, person, buffer)
    reportSeconds('a person designs and finalizes a postcard', performance.now() - begin, 120, person)
    await order(page, person)
    reportSeconds('a person designs, orders and follows a postcard', performance.now() - begin, 180, person)
  } finally {
    for (const end of ends) await end()
  }
}

async function designPostcard(page: Page, person: Person, photo: Buffer): Promise<void> {
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await person.click(page.getByRole('link', { name: 'A6 postcard', exact: true }))
  await person.click(button('Design it'))
  await person.click(button('Photos'))
  await person.chooseFile(button('Upload photos'), { name: 'sea.jpg', mimeType: 'image/jpeg', buffer: photo })
  await page.locator('.pe-asset').waitFor()
  await person.click(button('Text'))
  await person.type('Greetings from the sea')
  await person.press('Escape')
  await person.click(page.getByRole('tab', { name: 'Back' }))
  await person.click(button('Text'))
  await person.type('Dear Grace, the water is warm and the days are long.')
  await person.press('Escape')
  await person.click(button('Finalize'))
  await person.read(page.getByText('Everything is ready for printing.'))
}

async function order(page: Page, person: Person): Promise<void> {
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  await person.click(button('Add to cart'))
  await person.click(page.getByRole('link', { name: /^Cart, / }))
  await person.click(button('Go to checkout'))
  await person.choose(page.getByLabel('Country'), 'Germany')
  for (const [label, text] of Object.entries(ADDRESS)) await person.write(page.getByLabel(label), text)
  await person.click(button('Continue to shipping and total'))
  await person.click(button('Place the order'))
  await person.click(page.getByRole('radio', { name: 'Good card' }))
  await person.click(button(/^Pay €/))
  await person.read(page.getByText(/^Thank you. Your order PL-/))
  await person.click(page.getByRole('link', { name: 'My orders' }))
  await person.click(page.getByRole('link', { name: /^Order PL-/ }))
  const progress = page.getByRole('list', { name: 'Progress of the order' })
  await person.read(progress.locator('[aria-current=step]', { hasText: 'Paid' }))
}

function reportSeconds(figure: string, elapsedMs: number, limit: number, { ownMs }: Person): void {
  const value = elapsedMs / 1_000
  const details = { personSeconds: ownMs() / 1_000, waitedSeconds: value - ownMs() / 1_000, loadAverage: loadavg()[0] }
  const aim = `at most ${limit} s`
  report({ figure, value, limit, unit: 's', ratio: value / limit, aim, reached: value <= limit, ...details })
}
