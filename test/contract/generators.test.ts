import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { generateApi } from 'swagger-typescript-api'

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENT = join(ROOT, 'openapi.json')

const OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
  ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'] },
}

async function workspace(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-client-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }))
  return folder
}

/** Compiles a folder, and returns the errors. */
async function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

test('a client of swagger-typescript-api takes an order from sign-in to events', async (t) => {
  const folder = await workspace(t)
  await generateApi({ input: DOCUMENT, output: folder, fileName: 'api.ts', generateUnionEnums: true, silent: true })
  await copyFile(join(import.meta.dirname, 'journeys/swagger-typescript-api.txt'), join(folder, 'journey.ts'))
  assert.equal(await compile(folder), '')
})
