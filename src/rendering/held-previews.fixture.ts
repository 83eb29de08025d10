// A rendering process for tests. A preview with an image adds a byte to the file at the path of the image, and ends when
// `end` is beside that file.
import { appendFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveJobs } from './pool/serve-jobs.ts'
import type { PreviewJob } from './types.ts'

serveJobs({
  preview: async ({ images }: PreviewJob) => {
    for (const { path } of Object.values(images)) {
      appendFileSync(path, '.')
      while (!existsSync(join(dirname(path), 'end'))) await sleep(5)
    }
    return new Uint8Array()
  },
})
