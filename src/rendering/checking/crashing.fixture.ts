// The module of a checking process that stands still when it is asked for a content hash, and
// is killed when it is asked for values.
import './worker.ts'

process.prependListener('message', ({ kind }: { kind: string }) => {
  if (kind === 'contentHash') process.kill(process.pid, 'SIGSTOP')
  if (kind === 'checkValues') process.kill(process.pid, 'SIGKILL')
})
