import { RenderFailed, RenderQueueFull } from '../errors.ts'
import { type Child, type ChildOptions, type Job, startChild } from './child.ts'
import type { JobHandlers, JobInput, JobOutput } from './messages.ts'

export type PoolOptions = ChildOptions & {
  /** Processes at most. They start when jobs need them. */
  processes: number
  /** Jobs that may wait for a process; one more is refused. */
  maxQueue: number
}

export type Pool<Handlers extends JobHandlers> = {
  /** Runs one job in a child process. Rejects with `RenderFailed` or `RenderQueueFull`. */
  run<Kind extends keyof Handlers & string>(
    kind: Kind,
    input: JobInput<Handlers[Kind]>,
  ): Promise<JobOutput<Handlers[Kind]>>
  /** Refuses new and waiting jobs, lets running ones end, then ends the processes. */
  close(): Promise<void>
}

/**
 * A pool of child processes that run one job each, first come first served.
 *
 * A job that hangs, crashes or outgrows its memory takes its process with it and nothing else.
 */
export function createPool<Handlers extends JobHandlers>(options: PoolOptions): Pool<Handlers> {
  const children = new Set<Child>()
  const queue: Job[] = []
  let closed = false

  const spawn = () => {
    const child = startChild(options, {
      onFree: dispatch,
      onGone: () => {
        children.delete(child)
        dispatch()
      },
    })
    children.add(child)
    return child
  }

  const freeChild = () => {
    for (const child of children) if (child.isFree()) return child
    return children.size < options.processes ? spawn() : undefined
  }

  function dispatch() {
    while (queue.length > 0) {
      const child = freeChild()
      const job = child && queue.shift()
      if (child === undefined || job === undefined) return
      child.run(job)
    }
  }

  const run: Pool<Handlers>['run'] = (kind, input) => {
    if (closed) return Promise.reject(new RenderFailed('error', 'The renderer is closed'))
    return new Promise((resolve, reject) => {
      queue.push({ request: { kind, input }, resolve: resolve as (value: unknown) => void, reject })
      dispatch()
      // What dispatch left is waiting; the newcomer is last in line, so it is the one to go.
      if (queue.length > options.maxQueue) queue.pop()?.reject(new RenderQueueFull())
    })
  }

  const close = async () => {
    closed = true
    for (const job of queue.splice(0)) job.reject(new RenderFailed('error', 'The renderer is closed'))
    await Promise.all(Array.from(children, (child) => child.end()))
  }

  return { run, close }
}
