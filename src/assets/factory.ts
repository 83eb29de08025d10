import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { TestResponse, TestService } from '../../test/harness.ts'

/** Makes a small PNG. Each colour gives a different file. */
export function makePng(background = '#336699'): Promise<Buffer> {
  return sharp({ create: { width: 24, height: 16, channels: 3, background } })
    .png()
    .toBuffer()
}

export function upload(
  service: TestService,
  token: string,
  body: Uint8Array | FormData,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const type = body instanceof FormData ? {} : { 'content-type': 'application/octet-stream' }
  return service.request('POST', '/assets', { token, body, headers: { ...type, ...headers } })
}

/** Makes a form with the given file parts. Each part has the name of a field and the bytes of a file. */
export function formOf(...parts: [name: string, bytes: Uint8Array][]): FormData {
  const form = new FormData()
  for (const [name, bytes] of parts) form.append(name, new Blob([new Uint8Array(bytes)]), 'picture.png')
  return form
}

/** Counts the temporary folders of unfinished uploads, and the stored files. */
export async function countFiles({ config }: TestService): Promise<{ unfinished: number; stored: number }> {
  const unfinished = await readdir(join(config.storageDir, 'tmp'))
  const stored = await readdir(join(config.storageDir, 'blobs'), { recursive: true, withFileTypes: true })
  return { unfinished: unfinished.length, stored: stored.filter((entry) => entry.isFile()).length }
}
