import { createFairQueue, type FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { findJobToInterrupt, type ReservedProcess } from './interruption.ts'
import { createStanding, type FreeProcesses, type OwnedJob, type StandingOptions } from './standing.ts'
import { findSurplus, hasRoom, type QueueLimits } from './surplus.ts'

/**
 * The priority of a job. `interactive`: a client waits for the job. `background`: a job of the service itself, which
 * can wait longer.
 */
export type Priority = 'interactive' | 'background'

export type JobQueueOptions = StandingOptions & QueueLimits

/** The properties of a job that the queue needs. */
export type QueuedJob = OwnedJob & { priority: Priority }

/** Jobs that wait for a process, with one queue per priority. */
export type JobQueue<Job extends QueuedJob> = {
  add(job: Job): void
  /** Returns a job that was taken to the front of its queue. */
  putBack(job: Job): void
  /** Takes the next job that may run at the same time as the running jobs. */
  take(free?: FreeProcesses): Job | undefined
  /** Counts the waiting jobs that could start if there were enough processes. */
  startable(): number
  /** Tells whether a job of an owner waits that may run in the reserved process. */
  wantsReserved(): boolean
  /** Returns which waiting jobs may run in the reserved process now. */
  reservation(): (job: Job) => boolean
  /** Whether the customer, or the network of visitors, of a job had a long job in the last ten minutes. */
  isSlow(job: Job): boolean
  /** Records that a running job has ended. */
  end(job: Job, how?: { wasInterrupted: boolean }): void
  /** Removes a waiting job. Returns false if the job is not waiting. */
  remove(job: Job): boolean
  /**
   * Returns the job to reject after `job` was added, if too many jobs of its owner, of visitors, or of its priority
   * wait: `job` itself, or the last waiting job of the owner with the most jobs in the share with the most. Of several
   * with as many, the one with the most time used counts. Visitors have a quarter of the queue for themselves. Beyond
   * it, a visitor only takes the place of another visitor.
   *
   * @param aboutToStart how many processes are starting. As many waiting jobs do not count
   */
  surplusAfter(job: Job, aboutToStart: number): Job | undefined
  /** Whether a further interactive job of an owner would be accepted (`hasRoom` in `surplus.ts`). */
  hasRoom(owner: string, aboutToStart: number): boolean
  /**
   * Returns a running job to interrupt, if a job of a lighter owner waits for it and cannot start otherwise. A job of
   * the background only makes room for others of its kind.
   *
   * @param reserved undefined if the pool has no reserved process
   */
  jobToInterrupt(reserved?: ReservedProcess<Job>): Job | undefined
  drain(): Job[]
}

/**
 * The most interactive jobs in a row while a background job waits. The limit prevents starvation of background jobs.
 */
const INTERACTIVE_PER_BACKGROUND_JOB = 8

/**
 * Creates the queue of a pool.
 *
 * Interactive jobs come first. After `INTERACTIVE_PER_BACKGROUND_JOB` interactive jobs in a row, one waiting background
 * job runs. If there are several processes, background jobs leave one of them free.
 *
 * Within a priority, shares whose recent jobs took less time come first, and those with about the same time take turns.
 * The shares of visitors of one network (`networkOfShare`) count as one, whatever its number of addresses. The shares of a
 * network, and the owners of a share, follow the same rule among themselves, and new ones come after those of whom quick
 * jobs are known. While others wait, a share that uses all processes but one gets no further process. A heavy share gets at most
 * half of the processes, and all heavy shares together get all but two.
 *
 * The queue cannot know how long the jobs of a new owner take, and several new owners can start long jobs at the same
 * time. Therefore, one process is reserved: it only takes interactive jobs of owners who are known, had no long job
 * recently, and have no running job. Visitors never get this process: guests, and customers who have not paid anything
 * yet. All of them together get all processes but two, and half of the queue, because a client may have any number of IP
 * addresses. Those of one network get one process less if others had a job within a minute, because a client may register
 * any number of accounts and rent a network. A quarter of the queue is for visitors alone, because a client may also have
 * several accounts that have paid.
 *
 * Shares with a long job in the last ten minutes are slow. If others had a job within a minute, the slow networks of visitors
 * together get all processes but three, slow customers the same, and both together all but two, so that others do not wait
 * for interruptions. Their processes have a lower priority (`createPool`). The length of a job is its processor time, or a
 * quarter of its time if that is more, which does not count at this priority.
 *
 * These rules apply even while no other owner waits, because the next owner would have to wait for the running jobs.
 *
 * A job that has run for some time is interrupted for a job of a lighter owner, and runs again (`findJobToInterrupt`).
 * After `MAX_INTERRUPTIONS` it runs to its end, so that it ends however many others wait. Such jobs together get all
 * processes but three.
 */
export function createJobQueue<Job extends QueuedJob>(options: JobQueueOptions): JobQueue<Job> {
  const { processes } = options
  const waiting: Record<Priority, FairQueue<Job>> = { interactive: createFairQueue(), background: createFairQueue() }
  const allButOne = Math.max(1, processes - 1)
  const standing = createStanding<Job>(options)
  let backgroundRunning = 0
  let interactiveInARow = 0

  const backgroundPlaces = () => Math.min(waiting.background.count(), allButOne - backgroundRunning)

  const wantsReserved = (): boolean => {
    const mayUse = standing.reservation()
    return waiting.interactive.owners().some(({ next }) => mayUse(next))
  }

  const nextPriority = (): Priority => {
    const hasBackground = backgroundPlaces() > 0
    const isTurn = waiting.interactive.count() === 0 || interactiveInARow >= INTERACTIVE_PER_BACKGROUND_JOB
    if (hasBackground && isTurn) {
      interactiveInARow = 0
      return 'background'
    }
    interactiveInARow = hasBackground ? interactiveInARow + 1 : 0
    return 'interactive'
  }

  const waitingFor = ({ priority }: Job) => {
    const interactive = waiting.interactive.owners()
    return priority === 'interactive' ? interactive : [...interactive, ...waiting.background.owners()]
  }

  return {
    add: (job) => waiting[job.priority].add(job),
    putBack: (job) => waiting[job.priority].putBack(job),
    take: (free = { ready: processes, onlyReserved: false }) => {
      const rankOf = standing.rank(free)
      const priority = free.onlyReserved ? 'interactive' : nextPriority()
      let job = waiting[priority].take(rankOf)
      if (priority === 'background') job ??= waiting.interactive.take(rankOf)
      else if (!free.onlyReserved && backgroundPlaces() > 0) job ??= waiting.background.take(rankOf)
      if (job === undefined) return undefined
      standing.start(job)
      if (job.priority === 'background') backgroundRunning += 1
      return job
    },
    startable: () => waiting.interactive.count() + backgroundPlaces(),
    wantsReserved,
    reservation: standing.reservation,
    isSlow: standing.isSlow,
    end: (job, how = { wasInterrupted: false }) => {
      standing.end(job, how)
      if (job.priority === 'background') backgroundRunning -= 1
    },
    remove: (job) => waiting[job.priority].remove(job),
    surplusAfter: (job, aboutToStart) =>
      findSurplus(waiting[job.priority], options, { job, aboutToStart, timeOf: standing.times() }),
    hasRoom: (owner, aboutToStart) =>
      hasRoom(waiting.interactive, options, { owner, aboutToStart, timeOf: standing.times() }),
    jobToInterrupt: (reserved) => findJobToInterrupt({ standing, waitingFor, wantsReserved }, options, reserved),
    drain: () => [...waiting.interactive.drain(), ...waiting.background.drain()],
  }
}
