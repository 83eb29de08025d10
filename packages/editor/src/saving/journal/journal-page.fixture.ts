import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { BrowserContext, Page } from 'playwright-core'
import { openProfiles } from '../../../../../test/lib/browser/shared-browser.ts'
import type * as Kit from './page-kit.fixture.ts'

/** What the script of the test pages offers. */
export type PageKit = typeof Kit

/** Bundles a script that offers its exports as `kit`, and the styles of the editor. */
async function bundleKit(kit: URL): Promise<{ script: string; styles: string }> {
  const imports = ['@platen/ui/styles.css', '../../styles/panels.css'].map((name) => `import '${name}'`)
  const { outputFiles } = await build({
    stdin: {
      contents: [...imports, `import * as kit from '${fileURLToPath(kit)}'`, 'globalThis.kit = kit'].join('\n'),
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    ...{ bundle: true, format: 'esm', platform: 'browser', write: false, jsx: 'automatic', outdir: '/' },
    // Only Vite offers this function. The kits load no languages with it.
    define: { 'import.meta.glob': 'Object', 'process.env.NODE_ENV': '"production"' },
  })
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
  return { script: textOf('.js'), styles: textOf('.css') }
}

/** React Aria adds a style element, which the policy forbids, unless there is an element with this id. */
const PAGE = `<!doctype html><html lang="en"><title>Editor</title><link rel="stylesheet" href="/kit.css">
<meta id="react-aria-pressable-style"><script type="module" src="/kit.js"></script></html>`

const bundles = new Map<string, ReturnType<typeof bundleKit>>()

export interface Pages {
  origin: string
  context: BrowserContext
  open(): Promise<Page>
  /** Messages of errors that no code has handled, and of the console. */
  errors: string[]
}

/** Serves pages with the kit under the policy of the service, and opens them in a new profile of a browser. */
export async function startPages(
  t: TestContext,
  kit = new URL('page-kit.fixture.ts', import.meta.url),
): Promise<Pages> {
  const bundling = bundles.get(kit.href) ?? bundleKit(kit)
  bundles.set(kit.href, bundling)
  const { script, styles } = await bundling
  const files: Readonly<Record<string, [type: string, body: string]>> = {
    '/kit.js': ['text/javascript', script],
    '/kit.css': ['text/css', styles],
    '/favicon.ico': ['image/x-icon', ''],
  }
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/html', PAGE]
    const policy = "default-src 'self'; connect-src *"
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const context = await (await openProfiles(t)).newContext()
  const errors: string[] = []
  context.on('weberror', (error) => errors.push(error.error().message))
  const open = async (): Promise<Page> => {
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.goto(origin)
    await page.waitForFunction(() => 'kit' in globalThis)
    return page
  }
  return { origin, context, open, errors }
}

/** Ends the process of a page, as a crash does. */
export async function crash(page: Page): Promise<void> {
  const crashed = new Promise((resolve) => page.once('crash', resolve))
  const session = await page.context().newCDPSession(page)
  void session.send('Page.crash').catch(() => undefined)
  await crashed
}
