import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import process from 'node:process'
import { test } from 'node:test'
import { promisify } from 'node:util'

// They parse files of customers, and each takes megabytes.
test('the process that serves requests loads no library for images', async () => {
  const program = `
    await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
    console.log(JSON.stringify(process.report.getReport().sharedObjects))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  const loaded: string[] = JSON.parse(stdout)
  assert.ok(loaded.some((path) => path.includes('libc')))
  assert.deepEqual(
    loaded.filter((path) => /sharp|vips|canvas|skia/.test(path)),
    [],
  )
})
