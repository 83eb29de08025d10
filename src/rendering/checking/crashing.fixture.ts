// This checking process stops itself at a content hash, and kills itself when it checks values.
import './worker.ts'

process.prependListener('message', ({ kind }: { kind: string }) => {
  if (kind === 'contentHash') process.kill(process.pid, 'SIGSTOP')
  if (kind === 'checkValues') process.kill(process.pid, 'SIGKILL')
})
