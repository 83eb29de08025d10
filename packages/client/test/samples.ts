import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { layOutClient } from '../../../scripts/lib/build/build-client.ts'
import { temporaryDir } from '../../../test/harness.ts'

export const ROOT = join(import.meta.dirname, '../../..')

/** The pages whose samples use the package. */
const PAGES = ['packages/client/README.md', 'docs/SDK.md']

/**
 * Returns the samples of the guide and the README by language and name, such as `ts order`. Each is a program of its
 * own.
 */
export async function readSamples(): Promise<Map<string, string>> {
  const samples = new Map<string, string>()
  for (const page of PAGES) {
    const text = await readFile(join(ROOT, page), 'utf8')
    for (const [, name = '', code = ''] of text.matchAll(/^```((?:ts|js|html|sh)\b.*)\n([\s\S]*?)^```$/gm)) {
      // The README has the same commands for the installation.
      if (samples.get(name) === code) continue
      if (samples.has(name)) throw new Error(`${page}: a sample needs a name of its own, but "${name}" exists`)
      samples.set(name, code)
    }
  }
  return samples
}

/** Makes a folder for programs that import the published package. */
export async function programFolder(t: TestContext): Promise<string> {
  const folder = await temporaryDir(t)
  const client = join(folder, 'node_modules/@platen/client')
  await mkdir(client, { recursive: true })
  await layOutClient(client)
  return folder
}
