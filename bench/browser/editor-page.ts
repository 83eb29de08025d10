import type { BrowserContext, CDPSession, Page } from 'playwright-core'

interface Client {
  designs: { change(id: string, body: object): Promise<object> }
}

/** Starts a postcard as a guest of the shop and gives it layers. Returns the URL of its page. */
export async function createPostcard(page: Page, origin: string, layers: readonly object[]): Promise<string> {
  await page.goto(origin)
  await page.getByRole('link', { name: 'A6 postcard' }).click()
  await page.getByRole('button', { name: 'Design it' }).click()
  await editorReady(page)
  const url = page.url()
  await page.locator('platen-editor').evaluate(
    async (element, [id, json]) => {
      const { client } = element as unknown as { client: Client }
      const placements = [{ printAreaId: 'front', layers: JSON.parse(json) }]
      await client.designs.change(id, { document: { version: 1, placements } })
    },
    [url.split('/').at(-1) ?? '', JSON.stringify(layers)] as const,
  )
  return url
}

export const editorReady = (page: Page): Promise<void> => page.getByRole('button', { name: 'Finalize' }).waitFor()

/** Opens the page of a design, and waits until its editor does nothing more. */
export async function openDesign(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await editorReady(page)
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(1_000)
  return page
}

/** The middle of the stage in CSS pixels. */
export async function middleOfStage(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator('.pe-canvas').boundingBox()
  if (box === null) throw new Error('the editor shows no canvas')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Records the time between frames, until `readFrames`. */
export const recordFrames = (page: Page): Promise<void> =>
  page.evaluate(`{
    const frames = (globalThis.benchFrames = [])
    const note = (time) => {
      frames.push(time)
      globalThis.benchFrame = requestAnimationFrame(note)
    }
    requestAnimationFrame(note)
  }`)

/** Ends the recording. Returns the milliseconds between frames. */
export async function readFrames(page: Page): Promise<number[]> {
  const times = (await page.evaluate('cancelAnimationFrame(benchFrame), benchFrames')) as number[]
  return times.slice(1).map((time, index) => time - (times[index] ?? time))
}

/** Records the time from each keystroke until its frame is complete, until `readKeystrokes`. */
export const recordKeystrokes = (page: Page): Promise<void> =>
  page.evaluate(`{
    const keystrokes = (globalThis.benchKeystrokes = [])
    const { port1, port2 } = new MessageChannel()
    let waiting = []
    // A message that is sent during a frame arrives after the page was painted.
    port1.onmessage = () => {
      for (const begin of waiting.splice(0)) keystrokes.push(performance.now() - begin)
    }
    document.addEventListener('keydown', (event) => {
      requestAnimationFrame(() => {
        waiting.push(event.timeStamp)
        port2.postMessage(undefined)
      })
    }, { capture: true })
  }`)

export const readKeystrokes = (page: Page): Promise<number[]> => page.evaluate('benchKeystrokes') as Promise<number[]>

/** The milliseconds for which the main thread has worked since the start of the page. */
export async function mainThreadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
}
