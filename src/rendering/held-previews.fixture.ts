// A rendering process for tests that the test can hold up. Each preview appends a byte to the files of its images, and
// then waits until a file named `end` is beside them.
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
