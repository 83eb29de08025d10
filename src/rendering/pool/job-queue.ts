import { createFairQueue, type FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { isShareOfVisitors } from '../../platform/fair-share.ts'
import { createTimeUsed } from './time-used.ts'

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
  /** An ordinary job is shorter than this. Defaults to 5 s. */
  slowJobMs?: number
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/**
 * The properties of a job that the queue needs. A job without an owner does not count towards the limits of any owner.
 */
export type QueuedJob = { priority: Priority; owner?: string | undefined }

/** The processes that can take a job now. */
export type FreeProcesses = {
  /** Processes that have started. Heavy owners leave two of these, because starting one takes time. */
  ready: number
  /** Whether the reserved process is the only free one. */
  onlyReserved: boolean
}

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
  /** Records that a running job has ended. An interrupted job counts as long. */
  end(job: Job, how?: { wasInterrupted: boolean }): void
  /** Removes a waiting job. Returns false if the job is not waiting. */
  remove(job: Job): boolean
  /**
   * Returns the job to reject after `job` was added, if too many jobs of its owner, of visitors, or of its priority
   * wait: `job` itself, or the last waiting job of an owner with more jobs. Visitors have a quarter of the queue for
   * themselves. Beyond it, a visitor only takes the place of another visitor, also of one with as many jobs and more time
   * used.
   *
   * @param aboutToStart how many processes are starting. As many waiting jobs do not count
   */
  surplusAfter(job: Job, aboutToStart: number): Job | undefined
  /**
   * Returns a running job to interrupt. There is one if long jobs have more than all processes but two, and an
   * interactive job of an owner waits whose jobs took less than half the time. The result is a long job of the owner
   * whose jobs took most. The same applies among visitors and the processes that they may use. A slow job in the reserved process is interrupted for any job that waits for this process.
   */
  jobToInterrupt(reserved?: { job: Job | undefined }): Job | undefined
  drain(): Job[]
}

/**
 * The most interactive jobs in a row while a background job waits. The limit prevents starvation of background jobs.
 */
const INTERACTIVE_PER_BACKGROUND_JOB = 8

/** A job of this length takes many times as long as an ordinary design, and a third of the time limit of a job. */
const SLOW_JOB_MS = 5_000
/**
 * A long job takes this many times the length of a slow job. Ordinary jobs stay below this, even in a process that has
 * just started on a busy computer.
 */
const LONG_JOBS = 4
/** A job in the reserved process makes room after this many times the length of a slow job. */
const RESERVED_JOBS = 2
/** An owner is heavy if its recent jobs together took this many times the length of a slow job. */
const HEAVY_JOBS = 20
/** An owner is not heavy beside a running job of another owner whose jobs together took this many times as long. */
const HEAVIER = 2

const isNoVisitor = (owner: string | undefined): boolean => !isShareOfVisitors(owner)

/** The rank of an owner that may start no further job now. */
const NOT_NOW = Number.POSITIVE_INFINITY

/**
 * Creates the queue of a pool.
 *
 * Interactive jobs come first. After `INTERACTIVE_PER_BACKGROUND_JOB` interactive jobs in a row, one waiting background
 * job runs. If there are several processes, background jobs leave one of them free.
 *
 * Within a priority, owners whose recent jobs took less time come first, and owners with about the same time take turns.
 * While others wait, an owner that uses all processes but one gets no further process. A heavy owner gets at most half of
 * the processes, and all heavy owners together get all but two.
 *
 * The queue cannot know how long the jobs of a new owner take, and several new owners can start long jobs at the same
 * time. Therefore, one process is reserved: it only takes interactive jobs of owners who are known, had no long job
 * recently, and have no running job. Visitors without an account never get this process. All of them together get all
 * processes but two, and half of the queue, because a client may have any number of IP addresses. A quarter of the queue
 * is theirs alone, because a client may also have several accounts.
 *
 * These rules apply even while no other owner waits, because the next owner would have to wait for the running jobs.
 */
export function createJobQueue<Job extends QueuedJob>(options: JobQueueOptions): JobQueue<Job> {
  const { processes, maxQueue, maxQueuePerOwner, now = () => performance.now() } = options
  const { maxRunningPerOwner = Number.POSITIVE_INFINITY, slowJobMs = SLOW_JOB_MS } = options
  const waiting: Record<Priority, FairQueue<Job>> = { interactive: createFairQueue(), background: createFairQueue() }
  const allButOne = Math.max(1, processes - 1)
  const allButTwo = Math.max(1, processes - 2)
  const half = Math.ceil(processes / 2)
  const placesOfVisitors = Math.floor(maxQueue / 4)
  const running = new Map<Job, number>()
  const runningOf = new Map<string, number>()
  const used = createTimeUsed(now)
  let backgroundRunning = 0
  let interactiveInARow = 0

  const backgroundPlaces = () => Math.min(waiting.background.count(), allButOne - backgroundRunning)
  const elapsed = (job: Job) => now() - (running.get(job) ?? now())
  const isLong = (job: Job) => elapsed(job) > LONG_JOBS * slowJobMs

  /** Returns the times that owners used until now, running jobs included. Jobs without an owner have none. */
  const timesUntilNow = () => {
    const times = new Map<string, number>()
    for (const job of running.keys()) {
      if (job.owner !== undefined) times.set(job.owner, (times.get(job.owner) ?? used.of(job.owner)) + elapsed(job))
    }
    const timeOf = (owner: string | undefined) => (owner === undefined ? 0 : (times.get(owner) ?? used.of(owner)))
    return { timeOf, longest: Math.max(0, ...times.values()) }
  }

  /** Returns what owners may do at this moment. */
  const standings = () => {
    const { timeOf, longest } = timesUntilNow()
    const isHeavy = (owner: string) => {
      const time = timeOf(owner)
      return time > HEAVY_JOBS * slowJobMs && longest <= HEAVIER * time
    }
    return {
      timeOf,
      isHeavy,
      isTrusted: (owner: string) => !isShareOfVisitors(owner) && used.isTrusted(owner) && !isHeavy(owner),
    }
  }

  /** Returns the order of owners at this moment, which changes whenever a job starts or ends. */
  const rankNow = ({ ready, onlyReserved }: FreeProcesses): ((owner: string | undefined) => number) => {
    const { timeOf, isHeavy, isTrusted } = standings()
    const runningJobs = (condition: (owner: string) => boolean) =>
      runningOf.entries().reduce((sum, [owner, jobs]) => sum + (condition(owner) ? jobs : 0), 0)
    const visitorsMayStart = runningJobs(isShareOfVisitors) < allButTwo
    const heavyMayStart = runningJobs(isHeavy) < Math.max(1, ready - 2)
    const untrustedMayStart = !onlyReserved && runningJobs((owner) => !isTrusted(owner)) < allButOne
    return (owner) => {
      if (owner === undefined) return 0
      const jobs = runningOf.get(owner) ?? 0
      if (jobs >= maxRunningPerOwner || (onlyReserved && jobs > 0)) return NOT_NOW
      if (isShareOfVisitors(owner) && !visitorsMayStart) return NOT_NOW
      if (isHeavy(owner) && (jobs >= half || !heavyMayStart)) return NOT_NOW
      if (!isTrusted(owner) && !untrustedMayStart) return NOT_NOW
      // Owners with less time than a slow job have the same rank. Above that, a rank spans twice the time of the one before.
      const rank = Math.floor(Math.log2(1 + timeOf(owner) / slowJobMs))
      return jobs >= allButOne ? rank + 0.5 : rank
    }
  }

  const countRunning = ({ priority, owner }: Job, change: 1 | -1) => {
    if (priority === 'background') backgroundRunning += change
    if (owner === undefined) return
    const jobs = (runningOf.get(owner) ?? 0) + change
    if (jobs === 0) runningOf.delete(owner)
    else runningOf.set(owner, jobs)
  }

  const wantsReserved = (except?: string): boolean => {
    const { isTrusted } = standings()
    const mayUse = (owner: string) => owner !== except && !runningOf.has(owner) && isTrusted(owner)
    return waiting.interactive.someOwner((owner) => owner !== undefined && mayUse(owner))
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
    take: (free = { ready: processes, onlyReserved: false }) => {
      const rankOf = rankNow(free)
      const priority = free.onlyReserved ? 'interactive' : nextPriority()
      let job = waiting[priority].take(rankOf)
      if (priority === 'background') job ??= waiting.interactive.take(rankOf)
      else if (!free.onlyReserved && backgroundPlaces() > 0) job ??= waiting.background.take(rankOf)
      if (job === undefined) return undefined
      running.set(job, now())
      countRunning(job, 1)
      return job
    },
    startable: () => waiting.interactive.count() + backgroundPlaces(),
    wantsReserved: () => wantsReserved(),
    end: (job, { wasInterrupted } = { wasInterrupted: false }) => {
      if (job.owner !== undefined) used.add(job.owner, { ms: elapsed(job), isLong: wasInterrupted || isLong(job) })
      running.delete(job)
      countRunning(job, -1)
    },
    remove: (job) => waiting[job.priority].remove(job),
    surplusAfter: (job, aboutToStart) => {
      const queue = waiting[job.priority]
      const ownJobs = queue.countOf(job.owner)
      if (job.owner !== undefined && ownJobs - aboutToStart > maxQueuePerOwner) return job
      const isFull = queue.count() - aboutToStart > maxQueue
      const visitors = queue.countOfOwners(isShareOfVisitors)
      if (!isShareOfVisitors(job.owner)) {
        if (!isFull) return undefined
        const last = queue.lastOfLongest(visitors > placesOfVisitors ? () => true : isNoVisitor) ?? job
        return queue.countOf(last.owner) > ownJobs ? last : job
      }
      if (!isFull && visitors - aboutToStart <= maxQueue / 2) return undefined
      const { timeOf } = timesUntilNow()
      if (isFull && visitors <= placesOfVisitors) return queue.lastOfLongest(isNoVisitor, timeOf) ?? job
      const last = queue.lastOfLongest(isShareOfVisitors, timeOf) ?? job
      const difference = queue.countOf(last.owner) - ownJobs
      return difference > 0 || (difference === 0 && timeOf(last.owner) > timeOf(job.owner)) ? last : job
    },
    jobToInterrupt: (reserved) => {
      const slow = reserved?.job
      if (slow !== undefined && elapsed(slow) > RESERVED_JOBS * slowJobMs && wantsReserved(slow.owner)) return slow
      const { timeOf } = timesUntilNow()
      /** The long job to interrupt if long jobs have all places of these owners, and a lighter one of them waits. */
      const heaviestOf = (long: Job[], places: number, condition: (owner: string | undefined) => boolean) => {
        if (long.length < places) return undefined
        const heaviest = long.reduce((one, other) => (timeOf(other.owner) > timeOf(one.owner) ? other : one))
        const isLighter = (owner: string | undefined) => timeOf(owner) < timeOf(heaviest.owner) / 2
        return waiting.interactive.someOwner((owner) => condition(owner) && isLighter(owner)) ? heaviest : undefined
      }
      const long = Array.from(running.keys()).filter(isLong)
      const longOfVisitors = long.filter(({ owner }) => isShareOfVisitors(owner))
      return heaviestOf(long, allButTwo + 1, () => true) ?? heaviestOf(longOfVisitors, allButTwo, isShareOfVisitors)
    },
    drain: () => [...waiting.interactive.drain(), ...waiting.background.drain()],
  }
}
