/** Takes pictures of all pages and states of the shop, narrow and wide, light and dark. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/lib/browser/browser.ts'
import { developerCommand } from './lib/developer-command.ts'
import type { Scene, SceneData } from './lib/screenshots/scene.ts'
import { SCENES } from './lib/screenshots/scenes/scenes.ts'
import { ADMIN, prepareShop } from './lib/screenshots/shop-data.ts'
import { readTexts } from './lib/screenshots/texts.ts'
import { startServiceProcess } from './lib/service-process.ts'

const OUT = join(import.meta.dirname, '../screenshots')
const WIDTHS = [360, 768, 1440]
const HEIGHTS: Readonly<Record<number, number>> = { 360: 740, 768: 1024, 1440: 900 }

/** Waits for the ends of transitions. Animations may be endless. Runs in the page. */
const FADED = `(async () => {
  const roots = [document, document.querySelector('platen-editor')?.shadowRoot]
  const fading = roots.flatMap((root) => root?.getAnimations() ?? []).filter((one) => one instanceof CSSTransition)
  await Promise.allSettled(fading.map(({ finished }) => finished))
})()`

const command = developerCommand('npm run screenshots --', 'Take pictures of the shop to ./screenshots.')
  .argument('[name...]', 'parts of names of scenes, such as "product" (default: all)')
  .option('--widths <px>', 'widths of the window', WIDTHS.join(','))
  .option('--schemes <names>', 'light, dark or both', 'light,dark')
  .option('--lang <language>', 'language of the pages', 'en')
  .parse()
const { widths, schemes, lang } = command.opts<{ widths: string; schemes: string; lang: string }>()
const scenes = SCENES.filter(
  ({ name }) => command.args.length === 0 || command.args.some((part) => name.includes(part)),
)

const cleanUps: (() => unknown)[] = []
const after = (work: () => unknown): void => void cleanUps.unshift(work)
try {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-screenshots-'))
  after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  const service = await startServiceProcess({
    PLATEN_DATA_DIR: dataDir,
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_ADMIN_EMAIL: ADMIN.email,
    PLATEN_ADMIN_PASSWORD: ADMIN.password,
  })
  after(() => service.stop())
  const data = { ...(await prepareShop(service.origin)), text: readTexts(lang) }
  const browser = await launchBrowser({ after } as Parameters<typeof launchBrowser>[0])
  await mkdir(OUT, { recursive: true })
  for (const scene of scenes) {
    for (const width of widths.split(',').map(Number)) await take(browser, data, scene, width)
    console.log(scene.name)
  }
} finally {
  for (const cleanUp of cleanUps) await cleanUp()
}

async function take(browser: Browser, data: SceneData, scene: Scene, width: number): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] ?? 900 },
    reducedMotion: 'reduce',
    locale: lang,
    deviceScaleFactor: 1,
  })
  const page = await context.newPage()
  try {
    await scene.show(page, data)
    // A picture of the whole page shows what sticks to the window where the page was scrolled to.
    if (scene.isFullPage ?? true) await page.evaluate('scrollTo(0, 0)')
    // What the pointer lies on looks different.
    await page.mouse.move(0, 0)
    for (const scheme of schemes.split(',')) {
      await page.emulateMedia({ colorScheme: scheme === 'dark' ? 'dark' : 'light' })
      await nextFrames(page)
      const path = join(OUT, `${scene.name}-${width}-${scheme}-${lang}.png`)
      await page.screenshot({ path, fullPage: scene.isFullPage ?? true })
    }
  } catch (error) {
    console.error(`${scene.name} at ${width} px: ${String(error)}`)
    process.exitCode = 1
  } finally {
    await context.close()
  }
}

/** The colours of another scheme are drawn in the frames after it, and some fade in. */
async function nextFrames(page: Page): Promise<void> {
  const frame = 'new Promise((resolve) => requestAnimationFrame(() => resolve()))'
  for (let count = 0; count < 3; count += 1) await page.evaluate(frame)
  await page.evaluate(FADED)
}
