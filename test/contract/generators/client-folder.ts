import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')

/** The options of a client project, without those of this repository. */
const OPTIONS = {
  ...{ strict: true, skipLibCheck: true, types: [], outDir: 'built', rootDir: '.' },
  ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'] },
}

/** What a journey needs to know about the service. */
export interface Scene {
  baseUrl: string
  email: string
  password: string
  productId: string
  variantId: string
}

export interface Outcome {
  number: string
  status: string
  eventTypes: string[]
}

/** Makes a project for a generated client, with the journey that uses it. */
export async function makeClientFolder(t: TestContext, journey: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-client-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts', 'api/**/*.ts'] }),
  )
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await copyFile(join(import.meta.dirname, `../journeys/${journey}.txt`), join(folder, 'journey.ts'))
  return folder
}

/** Compiles the project, and returns the errors. */
export async function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

/** Runs the compiled journey against a service. */
export async function runJourney(folder: string, scene: Scene): Promise<Outcome> {
  const built = pathToFileURL(join(folder, 'built/')).href
  // Generated modules import each other without a file extension, as bundlers allow.
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const isOwn = specifier.startsWith('.') && context.parentURL?.startsWith(built) === true
      if (!isOwn || specifier.endsWith('.js')) return next(specifier, context)
      return tryEach([`${specifier}.js`, `${specifier}/index.js`], (name) => next(name, context))
    },
  })
  try {
    const { journey } = await import(`${built}journey.js`)
    return await journey(scene)
  } finally {
    hooks.deregister()
  }
}

function tryEach<T>([first = '', ...others]: string[], attempt: (name: string) => T): T {
  if (others.length === 0) return attempt(first)
  try {
    return attempt(first)
  } catch {
    return tryEach(others, attempt)
  }
}
