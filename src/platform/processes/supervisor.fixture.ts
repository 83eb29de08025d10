// Supervises two processes that run this file, too. The second one hangs in its first start.

import cluster from 'node:cluster'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics } from 'node:v8'
import { createLog } from '../telemetry/log.ts'
import { createChannel } from './channel.ts'
import { BEGIN, SERVING, startSupervisor } from './supervisor.ts'

const folder = process.env['FOLDER'] ?? ''
const log = createLog({ level: 'silent' })
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

if (cluster.isPrimary) {
  const supervisor = startSupervisor({
    count: 2,
    module: fileURLToPath(import.meta.url),
    env: { FOLDER: folder },
    log,
    connect:
      ({ number }) =>
      () =>
        say(`${number} ended`),
    onServing: (served) => {
      const { number, heapMib } = served as { number: string; heapMib: number }
      say(`${number} serves`)
      say(`heap of ${number} up to ${heapMib} MiB`)
    },
    startMs: 10_000,
  })
  supervisor.begin(undefined)
  say(`started with ${await supervisor.untilServing()}`)
} else {
  const number = process.argv[2] ?? ''
  const main = createChannel({ send: (message) => process.send?.(message), log })
  process.on('message', main.receive)
  await main.call(BEGIN)
  const mark = join(folder, 'hung')
  const hangs = number === '2' && !existsSync(mark)
  if (hangs) writeFileSync(mark, '')
  else main.tell(SERVING, { number, heapMib: Math.round(getHeapStatistics().heap_size_limit / 1024 / 1024) })
}
