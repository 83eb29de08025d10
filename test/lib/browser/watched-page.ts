import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { PATIENCE_MS } from '../until.ts'
import { openProfiles } from './shared-browser.ts'

/** What went wrong in the pages of a browser: errors of the console and of scripts, and violations of the policy. */
export interface Watched {
  context: BrowserContext
  /** Opens another tab. */
  open(url: string): Promise<Page>
  /** Leaves out errors that a test causes, such as a refused sign-in, which the browser writes to its console. */
  expectErrors(pattern: RegExp): void
}

/**
 * Starts a browser. At the end, the test fails if a page wrote an error to the console, threw one, or violated the
 * policy.
 */
export async function watchedBrowser(t: TestContext, options: BrowserContextOptions = {}): Promise<Watched> {
  const profiles = await openProfiles(t)
  const context = await profiles.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 }, ...options })
  // As long as tests wait for other states.
  context.setDefaultTimeout(PATIENCE_MS)
  const { problems, expected } = watch(context)
  t.after(() => {
    const unexpected = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)))
    assert.deepEqual(unexpected, [])
  })
  return {
    context,
    open: async (url) => {
      const page = await context.newPage()
      await page.goto(url)
      return page
    },
    expectErrors: (pattern) => void expected.push(pattern),
  }
}

function watch(context: BrowserContext): { problems: string[]; expected: RegExp[] } {
  const problems: string[] = []
  // Chromium writes violations of the policy to the console as errors.
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => problems.push(String(error.error().stack ?? error.error())))
  return { problems, expected: [] }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[]
}

/** The rules of axe that a colour scheme can affect. */
const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block']

/**
 * Checks a page with axe in its present state: with all rules in light, and with those of colours in dark. The policy
 * forbids script elements, so axe is evaluated.
 */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const rules = colorScheme === 'light' ? {} : { runOnly: RULES_OF_COLORS }
    let found = await violationsOf(page, rules)
    // A loaded computer draws the colours of a scheme in several steps. What is wrong stays wrong.
    if (found.length > 0) found = await violationsOf(page, rules)
    assert.deepEqual(found, [], `${state}, ${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null })
}

async function violationsOf(page: Page, rules: object): Promise<string[]> {
  await untilStill(page)
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE)
  const { violations } = await page.evaluate(
    async (options) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }
      return axe.run(options)
    },
    { resultTypes: ['violations'], ...rules },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  )
}

/** Waits for animations, during which colours are between those of two states. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { document, requestAnimationFrame } = globalThis as unknown as {
      requestAnimationFrame(work: (time: number) => void): number
      document: {
        getAnimations(): { effect: { getTiming(): { iterations: number } } | null; finished: Promise<void> }[]
      }
    }
    for (;;) {
      // Transitions of colours begin in the frame after another colour scheme, and those of inherited colours one later.
      for (let frames = 0; frames < 3; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
      const ending = document
        .getAnimations()
        .filter(({ effect }) => effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
      if (ending.length === 0) return
      await Promise.allSettled(ending.map(({ finished }) => finished))
    }
  })
}

/** Fails if the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page, state: string): Promise<void> {
  const { content, window } = await page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number; clientWidth: number } }
    }
    const { scrollWidth, clientWidth } = document.documentElement
    return { content: scrollWidth, window: clientWidth }
  })
  assert.ok(content <= window, `${state}: the content is ${content} px wide, the window ${window} px`)
}
