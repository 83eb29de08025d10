import { createFairQueue, type FairQueue } from '../../platform/concurrency/fair-queue.ts'

/**
 * The priority of a job. `interactive`: a client waits for the job. `background`: a job of the service itself, which
 * can wait longer.
 */
export type Priority = 'interactive' | 'background'

export type JobQueueOptions = {
  processes: number
  /** The most waiting jobs of each priority. */
  maxQueue: number
  /** The most waiting jobs of one owner and priority. */
  maxQueuePerOwner: number
  /** The most running jobs of one owner, even if no other owner waits. Defaults to no limit. */
  maxRunningPerOwner?: number
  /** A job that runs longer than this makes its owner slow. Defaults to 5 s. */
  slowJobMs?: number
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/**
 * The properties of a job that the queue needs. A job without an owner does not count towards the limits of any owner.
 */
export type QueuedJob = { priority: Priority; owner?: string | undefined }

/** Jobs that wait for a process, with one queue per priority. */
export type JobQueue<Job extends QueuedJob> = {
  add(job: Job): void
  /** Returns a job that was taken to the front of its queue. */
  putBack(job: Job): void
  /** Takes the next job that may run at the same time as the running jobs. */
  take(): Job | undefined
  /** Counts the waiting jobs that could start if there were enough processes. */
  startable(): number
  /** Records that a running job has ended. `hitDeadline` tells whether the job was stopped at its deadline. */
  end(job: Job, how?: { hitDeadline: boolean }): void
  /** Removes a waiting job. Returns false if the job is not waiting. */
  remove(job: Job): boolean
  /**
   * Returns the job to reject after `job` was added, if too many jobs of its owner or its priority wait: `job` itself,
   * or the last waiting job of an owner with more jobs.
   *
   * @param aboutToStart how many processes are starting. As many waiting jobs do not count
   */
  surplusAfter(job: Job, aboutToStart: number): Job | undefined
  /**
   * Returns a running job to interrupt. There is one if slow owners have all processes that a new owner may use, and an
   * interactive job of another owner waits. The result is then the job that started last.
   */
  jobToInterrupt(): Job | undefined
  drain(): Job[]
}

/**
 * The most interactive jobs in a row while a background job waits. The limit prevents starvation of background jobs.
 */
const INTERACTIVE_PER_BACKGROUND_JOB = 8

/** A job of this length takes many times as long as an ordinary design, and a third of the time limit of a job. */
const SLOW_JOB_MS = 5_000
/**
 * For how long an owner counts as slow after a slow job. With a short time, a few owners could take the processes of
 * others again and again.
 */
const SLOW_FOR_MS = 10 * 60_000
/**
 * How many owners of quick jobs the queue remembers. Above this number, it forgets the owner whose last quick job is
 * oldest.
 */
const MOST_QUICK_OWNERS = 10_000
/** For how long an owner ranks last after one of its jobs hit the deadline. */
const LAST_FOR_MS = 60_000

/** The ranks of owners. Within a priority, owners with a lower rank come first. */
const RANKS = { first: 0, hasMost: 1, hitDeadline: 2, notNow: Number.POSITIVE_INFINITY } as const

/**
 * Creates the queue of a pool.
 *
 * Interactive jobs come first. After `INTERACTIVE_PER_BACKGROUND_JOB` interactive jobs in a row, one waiting background
 * job runs. If there are several processes, background jobs leave one of them free, because an interactive job cannot
 * interrupt them.
 *
 * Within a priority, the queue serves the owners in rotation. While others wait, an owner that uses all processes but
 * one gets no further process. An owner whose recent jobs were slow gets at most half of the processes, and all slow
 * owners together get all but two. After a job that hit its deadline, its owner ranks last and gets one process.
 *
 * The queue cannot know whether the jobs of a new owner are slow, and several new owners can start slow jobs at the
 * same time. Therefore, the last process only takes jobs of owners who are known for quick jobs. These rules apply even
 * while no other owner waits, because the next owner would have to wait for the running jobs.
 */
export function createJobQueue<Job extends QueuedJob>(options: JobQueueOptions): JobQueue<Job> {
  const { processes, maxQueue, maxQueuePerOwner, now = () => performance.now() } = options
  const { maxRunningPerOwner = Number.POSITIVE_INFINITY, slowJobMs = SLOW_JOB_MS } = options
  const waiting: Record<Priority, FairQueue<Job>> = { interactive: createFairQueue(), background: createFairQueue() }
  const allButOne = Math.max(1, processes - 1)
  const allButTwo = Math.max(1, processes - 2)
  const half = Math.ceil(processes / 2)
  const running = new Map<Job, number>()
  const runningOf = new Map<string, number>()
  const slowUntil = new Map<string, number>()
  const lastUntil = new Map<string, number>()
  const quick = new Set<string>()
  let backgroundRunning = 0
  let interactiveInARow = 0

  const backgroundPlaces = () => Math.min(waiting.background.count(), allButOne - backgroundRunning)
  const isLast = (owner: string) => now() < (lastUntil.get(owner) ?? 0)
  const isSlow = (owner: string) =>
    now() < (slowUntil.get(owner) ?? 0) ||
    running.entries().some(([job, startedAt]) => job.owner === owner && now() - startedAt > slowJobMs)
  const isQuick = (owner: string) => quick.has(owner) && !isSlow(owner)
  const runningOfOwners = (condition: (owner: string) => boolean) =>
    running.keys().reduce((sum, { owner }) => sum + (owner !== undefined && condition(owner) ? 1 : 0), 0)

  // The rank is computed again whenever a job ends, so an owner may get a process before `SLOW_FOR_MS` or `LAST_FOR_MS`
  // is over.
  const rankOf = (owner: string | undefined): number => {
    if (owner === undefined) return RANKS.first
    const jobs = runningOf.get(owner) ?? 0
    const most = isLast(owner) ? 1 : isSlow(owner) ? half : Number.POSITIVE_INFINITY
    if (jobs >= Math.min(most, maxRunningPerOwner)) return RANKS.notNow
    if (isSlow(owner) && runningOfOwners(isSlow) >= allButTwo) return RANKS.notNow
    if (!isQuick(owner) && runningOfOwners((other) => !isQuick(other)) >= allButOne) return RANKS.notNow
    if (isLast(owner)) return RANKS.hitDeadline
    return jobs >= allButOne ? RANKS.hasMost : RANKS.first
  }

  const noteSlowness = (job: Job, { hitDeadline }: { hitDeadline: boolean }) => {
    const endedAt = now()
    for (const known of [slowUntil, lastUntil])
      for (const [owner, until] of known) if (until <= endedAt) known.delete(owner)
    if (job.owner === undefined) return
    const tookLong = endedAt - (running.get(job) ?? endedAt) > slowJobMs
    quick.delete(job.owner)
    if (tookLong || hitDeadline) slowUntil.set(job.owner, endedAt + SLOW_FOR_MS)
    else quick.add(job.owner)
    if (quick.size > MOST_QUICK_OWNERS) quick.delete(quick.values().next().value as string)
    if (hitDeadline) lastUntil.set(job.owner, endedAt + LAST_FOR_MS)
  }

  const countRunning = ({ priority, owner }: Job, change: 1 | -1) => {
    if (priority === 'background') backgroundRunning += change
    if (owner === undefined) return
    const jobs = (runningOf.get(owner) ?? 0) + change
    if (jobs === 0) runningOf.delete(owner)
    else runningOf.set(owner, jobs)
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

  return {
    add: (job) => waiting[job.priority].add(job),
    putBack: (job) => waiting[job.priority].putBack(job),
    take: () => {
      const priority = nextPriority()
      let job = waiting[priority].take(rankOf)
      const other: Priority = priority === 'interactive' ? 'background' : 'interactive'
      if (other === 'interactive' || backgroundPlaces() > 0) job ??= waiting[other].take(rankOf)
      if (job === undefined) return undefined
      running.set(job, now())
      countRunning(job, 1)
      return job
    },
    startable: () => waiting.interactive.count() + backgroundPlaces(),
    end: (job, how = { hitDeadline: false }) => {
      noteSlowness(job, how)
      running.delete(job)
      countRunning(job, -1)
    },
    remove: (job) => waiting[job.priority].remove(job),
    surplusAfter: (job, aboutToStart) => {
      const queue = waiting[job.priority]
      const ownJobs = queue.countOf(job.owner)
      if (job.owner !== undefined && ownJobs - aboutToStart > maxQueuePerOwner) return job
      if (queue.count() - aboutToStart <= maxQueue) return undefined
      const last = queue.lastOfLongest()
      return last !== undefined && queue.countOf(last.owner) > ownJobs ? last : job
    },
    jobToInterrupt: () => {
      const areAllSlow = running.keys().every(({ owner }) => owner !== undefined && isSlow(owner))
      if (running.size < allButOne || !areAllSlow) return undefined
      if (!waiting.interactive.someOwner((owner) => owner === undefined || !isSlow(owner))) return undefined
      return Array.from(running).reduce((last, one) => (one[1] > last[1] ? one : last))[0]
    },
    drain: () => [...waiting.interactive.drain(), ...waiting.background.drain()],
  }
}
