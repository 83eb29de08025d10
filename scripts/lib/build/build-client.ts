import { execFile } from 'node:child_process'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')
const PACKAGE = join(ROOT, 'packages/client')

/** Compiles packages/client into a folder: modules and their types. */
export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', PACKAGE, '--outDir', folder]).catch((error) => {
    throw new Error(`packages/client does not compile:\n${error.stdout}`)
  })
  for (const name of await readdir(folder, { recursive: true })) {
    if (name.endsWith('.d.ts')) await nameCompiledFiles(join(folder, name))
  }
}

/** Writes into a folder what `npm publish` would publish. */
export async function layOutClient(folder: string): Promise<void> {
  await buildClient(join(folder, 'dist'))
  await cp(join(PACKAGE, 'package.json'), join(folder, 'package.json'))
  await cp(join(PACKAGE, 'README.md'), join(folder, 'README.md'))
  await cp(join(PACKAGE, 'LICENSE'), join(folder, 'LICENSE'))
}

/** The compiler keeps the names of source files in the imports of declarations, but these files are not published. */
async function nameCompiledFiles(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
}
