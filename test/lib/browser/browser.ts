import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

/**
 * The reason why no browser is available; undefined if there is one. The npm package contains Chromium for Linux on x64
 * only.
 */
export const noBrowser: string | undefined =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : `no browser comes with the packages for ${process.platform} on ${process.arch}`

/**
 * Starts Chromium (its headless shell) from the npm package, with its own libraries and fonts, so that nothing must be
 * installed on the computer. When the test ends, the browser stops and its files are removed.
 */
export async function launchBrowser(t: Pick<TestContext, 'after'>): Promise<Browser> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-browser-'))
  let browser: Browser | undefined
  t.after(async () => {
    await browser?.close()
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  unpacked ??= unpackOnce()
  const files = await unpacked
  browser = await chromium.launch({
    executablePath: join(files, 'chromium'),
    args: ['--disable-gpu'],
    timeout: 60_000,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      TMPDIR: dir,
      FONTCONFIG_FILE: await configureFonts(dir, files),
      LD_LIBRARY_PATH: join(files, 'al2023', 'lib'),
    },
  })
  return browser
}

/**
 * Has timers of the given times run later in pages that are opened from now on. Pages do not wait long for another tab
 * or for the storage of the browser, and both take longer on a busy computer.
 */
export async function stretchTimers(context: BrowserContext, times: number[], byMs = 60_000): Promise<void> {
  const stretched = new Map(times.map((ms) => [ms, ms + byMs]))
  await context.addInitScript(
    (entries) => {
      const longer = new Map(entries)
      const { setTimeout: start } = globalThis
      const stretch = (ms: number | undefined) => longer.get(ms ?? 0) ?? ms
      const slower = (work: () => void, ms?: number, ...rest: []) => start(work, stretch(ms), ...rest)
      const timeout = AbortSignal.timeout.bind(AbortSignal)
      Object.assign(globalThis, { setTimeout: slower })
      Object.assign(AbortSignal, { timeout: (ms: number) => timeout(stretch(ms) ?? ms) })
    },
    [...stretched],
  )
}

/** The configuration in the package names folders of AWS Lambda, with which the browser would draw no text. */
async function configureFonts(dir: string, files: string): Promise<string> {
  const file = join(dir, 'fonts-here.conf')
  const text = `<?xml version="1.0"?><fontconfig><dir>${files}</dir><cachedir>${join(dir, 'font-cache')}</cachedir></fontconfig>`
  await writeFile(file, text)
  return file
}

let unpacked: Promise<string> | undefined

/**
 * Unpacks the browser, which takes two seconds of processor time, into a folder that all processes and later runs use.
 * The folder gets its name last, so that it is always complete.
 */
async function unpackOnce(): Promise<string> {
  const version = JSON.parse(await readFile(inPackage('package.json'), 'utf8')).version
  const shared = join(import.meta.dirname, `../../../node_modules/.cache/platen/chromium-${version}`)
  if (existsSync(shared)) return shared
  await mkdir(dirname(shared), { recursive: true })
  const own = await mkdtemp(`${shared}-`)
  try {
    await unpack(own)
    // Other users of the computer may run tests as well.
    for (const path of [own, join(own, 'chromium')]) await chmod(path, 0o755)
    await rename(own, shared)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(shared)) throw error
  } finally {
    await rm(own, { recursive: true, force: true })
  }
  return shared
}

const inPackage = (path: string): string =>
  fileURLToPath(new URL(`../${path}`, import.meta.resolve('@sparticuz/chromium')))

/** The package unpacks into the folder for temporary files. */
async function unpack(dir: string): Promise<void> {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = dir
  try {
    await Promise.all(['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) => inflate(inPackage(`bin/${name}`))))
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}
