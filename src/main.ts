#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// The program that reads the output, such as `head`, may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// Compiling modules takes half of the time of a start. Imports after this line use the compile cache. If the folder is
// not writable, there is no cache. `NODE_COMPILE_CACHE` names another folder.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/platen'))

try {
  const { createProgram } = await import('./commands/program.ts')
  process.exitCode = await createProgram().run(process.argv.slice(2))
} catch (error) {
  const { reportFailure } = await import('./commands/command-line/report-failure.ts')
  // Setting `exitCode` is not enough, because connections that a failed start left open would keep the process running.
  process.exit(reportFailure(error))
}
