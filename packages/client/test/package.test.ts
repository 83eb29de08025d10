import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, Package } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { layOutClient } from '../../../scripts/lib/build/build-client.ts'
import { GENERATED, generateClient } from '../../../scripts/lib/sdk/generate-client.ts'
import { allProblemCodes } from '../../../scripts/lib/sdk/problem-codes.ts'
import { temporaryDir } from '../../../test/harness.ts'
import { programFolder, ROOT, readSamples } from './samples.ts'

const MAX_CORE_BYTES = 15_000

async function layOut(t: TestContext): Promise<string> {
  const folder = join(await temporaryDir(t), 'client')
  await mkdir(folder)
  await layOutClient(folder)
  return folder
}

async function bundle(entry: string): Promise<string> {
  const options = { bundle: true, minify: true, format: 'esm', platform: 'browser', write: false } as const
  const { outputFiles } = await build({ entryPoints: [entry], ...options })
  return outputFiles[0]?.text ?? ''
}

test('the published package has valid entries and types', async (t) => {
  const folder = await layOut(t)
  const { messages } = await publint({ pkgDir: folder, pack: false, strict: true })
  assert.deepEqual(messages, [])
  const files: Record<string, Uint8Array> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[path.replace(folder, '/node_modules/@platen/client')] = await readFile(path)
  }
  const result = await checkPackage(new Package(files, '@platen/client', '0.1.0'))
  assert.ok(result.types !== false)
  // The package has modules only. Node.js can require them since version 22, which this tool does not know.
  const isForOthers = (problem: object) =>
    'resolutionKind' in problem && ['node10', 'node16-cjs'].includes(String(problem.resolutionKind))
  assert.deepEqual(
    result.problems.filter((problem) => !isForOthers(problem)),
    [],
  )
})

test('the core has less than 15 kB with gzip, and imports nothing', async (t) => {
  const folder = await layOut(t)
  const core = await bundle(join(folder, 'dist/index.js'))
  const bytes = gzipSync(core).length
  t.diagnostic(`core: ${bytes} bytes with gzip`)
  assert.ok(bytes < MAX_CORE_BYTES, `${bytes} bytes`)
  const webhooks = await bundle(join(folder, 'dist/webhooks.js'))
  t.diagnostic(`webhooks: ${gzipSync(webhooks).length} bytes with gzip`)
  assert.doesNotMatch(`${core}${webhooks}`, /(?<!\/)\bimport\b/)
})

test('the generated files are those of openapi.json', async () => {
  const document = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'))
  for (const [name, text] of Object.entries(generateClient(document, allProblemCodes()))) {
    assert.equal(await readFile(join(GENERATED, name), 'utf8'), text, `${name}: run npm run client`)
  }
})

/** All samples compile for Node.js, and all but the one that reads its environment for pages. */
const PLATFORMS = {
  'a page': { lib: ['es2023', 'dom', 'dom.iterable'], types: [], samples: /^ts (?!order)/ },
  'Node.js': { lib: ['es2023', 'dom'], types: ['node'], samples: /^ts / },
  'Node.js without DOM': { lib: ['es2023'], types: ['node'], samples: /^$/ },
}

for (const [platform, { samples, ...libraries }] of Object.entries(PLATFORMS)) {
  test(`programs for ${platform} compile with the published types, strictly and without casts`, async (t) => {
    const folder = await programFolder(t)
    const options = { ...libraries, strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2023' }
    const compilerOptions = { ...options, module: 'nodenext', noUncheckedIndexedAccess: true, erasableSyntaxOnly: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'))
    for (const [name, code] of await readSamples())
      if (samples.test(name)) await writeFile(join(folder, `${name.replace(' ', '-')}.mts`), `${code}\nexport {}\n`)
    await writeFile(join(folder, 'types.mts'), await readFile(join(import.meta.dirname, 'types.txt')))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error) => error)
    assert.equal(stdout, '')
  })
}
