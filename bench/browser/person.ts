import type { Locator, Page } from 'playwright-core'

/**
 * Times of a person at a desk in milliseconds, by the keystroke-level model (Card, Moran and Newell, 1983): preparing
 * a step, moving the pointer to a target, pressing and releasing a button, and a key of an average typist.
 */
const PREPARE = 1_350
const POINT = 1_100
const PRESS = 200
const KEY = 280

export interface Person {
  click(target: Locator): Promise<void>
  /** Clicks into a field, and writes. */
  write(field: Locator, text: string): Promise<void>
  /** Writes where the keyboard is. */
  type(text: string): Promise<void>
  press(key: string): Promise<void>
  /** Opens a list, and picks the option with a label. */
  choose(list: Locator, label: string): Promise<void>
  /** Chooses a file in the window of the operating system that a button opens. */
  chooseFile(button: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>
  /** Reads a page until a text is there. */
  read(target: Locator): Promise<void>
  /** The milliseconds of the person alone. The rest of the time, the person waited for the page. */
  ownMs(): number
}

/** Drives a page at the pace of a person, who waits for what the page has not shown yet. */
export function createPerson(page: Page): Person {
  let own = 0
  const take = async (ms: number): Promise<void> => {
    own += ms
    await page.waitForTimeout(ms)
  }
  const click = async (target: Locator): Promise<void> => {
    await target.waitFor()
    await take(PREPARE + POINT + PRESS)
    await target.click()
  }
  const type = async (text: string): Promise<void> => {
    own += KEY * text.length
    await page.keyboard.type(text, { delay: KEY })
  }
  return {
    click,
    type,
    async write(field, text) {
      await click(field)
      await type(text)
    },
    async choose(list, label) {
      await list.waitFor()
      await take(2 * (PREPARE + POINT + PRESS))
      await list.selectOption({ label })
    },
    async press(key) {
      await take(KEY)
      await page.keyboard.press(key)
    },
    async chooseFile(button, file) {
      const chooser = page.waitForEvent('filechooser')
      await click(button)
      await take(PREPARE + 2 * (POINT + PRESS))
      await (await chooser).setFiles(file)
    },
    async read(target) {
      await target.waitFor()
      await take(PREPARE)
    },
    ownMs: () => own,
  }
}
