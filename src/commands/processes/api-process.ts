// An API process of `platen serve`. The main process starts it; see `main-process.ts`.

import cluster from 'node:cluster'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/platen'))

if (cluster.worker === undefined) throw new Error('platen serve starts this program')
const { runApiProcess } = await import('./run-api-process.ts')
await runApiProcess(cluster.worker, process.argv[2] ?? '')
