#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// The reader may close the pipe early, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// Compiling modules takes half of the start. Imports after this line use the cache. A read-only folder has no cache.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/platen'))

try {
  const { createProgram } = await import('./commands/program.ts')
  process.exitCode = await createProgram().run(process.argv.slice(2))
} catch (error) {
  const { reportFailure } = await import('./commands/report-failure.ts')
  // exitCode is not enough, because connections that a failed start left open keep the process running.
  process.exit(reportFailure(error))
}
