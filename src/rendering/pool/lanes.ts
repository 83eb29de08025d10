import { createFairQueue, type FairQueue } from '../../platform/concurrency/fair-queue.ts'

/** Who waits for a job: a person, or a job of the service's own that can wait a little longer. */
export type Lane = 'interactive' | 'background'

export type LaneOptions = {
  /** Processes at most. */
  processes: number
  /** Jobs that may wait in each lane. */
  maxQueue: number
  /** Of them, jobs of one owner. */
  maxQueuePerOwner: number
  /** Jobs of one owner that may run at once, also while no other owner waits; any number when left out. */
  maxRunningPerOwner?: number
  /** A job that takes longer makes its owner count as slow; 5 s when left out. */
  slowJobMs?: number
  /** Milliseconds since any moment. */
  now?: () => number
}

/** What a lane knows of a job. One without an owner counts for nobody. */
export type LaneJob = { lane: Lane; owner?: string | undefined }

/** The jobs that wait for a process, in two lanes. */
export type Lanes<Job extends LaneJob> = {
  add(job: Job): void
  /** Puts a job back to where it came from: before all that wait in its lane. */
  putBack(job: Job): void
  /** Takes the job whose turn it is, if one may start beside those that run now. */
  take(): Job | undefined
  /** How many of the waiting jobs could start if there were processes for all. */
  startable(): number
  /** A job that was taken has ended; `hitDeadline` when it was ended because it took too long. */
  end(job: Job, how?: { hitDeadline: boolean }): void
  /** Takes a job out; false when it does not wait. */
  remove(job: Job): boolean
  /** Whether too many wait in the lane of a job, or of its owner, not counting this many that are about to start. */
  isOverfull(job: Job, aboutToStart: number): boolean
  /** Takes out all that wait. */
  drain(): Job[]
}

/** So many people are served before one waiting background job has its turn: they are first, but never the only ones. */
const PEOPLE_PER_BACKGROUND_JOB = 8

/** Many times what drawing an ordinary design takes, and a third of what a job may take. */
const SLOW_JOB_MS = 5_000
/** So long an owner counts as slow after such a job, and comes last after one that hit its deadline. */
const SLOW_FOR_MS = 60_000

/** In a lane, who has a lower one comes first. */
const RANKS = { first: 0, hasMost: 1, hitDeadline: 2, notNow: Number.POSITIVE_INFINITY } as const

/**
 * People first. Background jobs leave them one process, where there is more than one, because a job that runs is never
 * interrupted; and they have a turn now and then however many people there are.
 *
 * Within a lane owners have their jobs done in turn, and whoever has all processes but one gets no more while others
 * wait: what one account asks for does not keep the others from being served. An owner whose jobs have just taken long gets
 * no more than half of the processes, and all such owners together no more than all but one, also while nobody waits: the
 * next owner would wait for all of them to end. After a job that hit its deadline, an owner comes after all others and has
 * one process.
 */
export function createLanes<Job extends LaneJob>(options: LaneOptions): Lanes<Job> {
  const { processes, maxQueue, maxQueuePerOwner, now = () => performance.now() } = options
  const { maxRunningPerOwner = Number.POSITIVE_INFINITY, slowJobMs = SLOW_JOB_MS } = options
  const waiting: Record<Lane, FairQueue<Job>> = { interactive: createFairQueue(), background: createFairQueue() }
  const allButOne = Math.max(1, processes - 1)
  const half = Math.max(1, Math.floor(processes / 2))
  /** When each of the jobs that run was started. */
  const running = new Map<Job, number>()
  const runningOf = new Map<string, number>()
  const slowUntil = new Map<string, number>()
  const lastUntil = new Map<string, number>()
  let backgroundRunning = 0
  let peopleInARow = 0

  const backgroundPlaces = () => Math.min(waiting.background.count(), allButOne - backgroundRunning)
  const isLast = (owner: string) => now() < (lastUntil.get(owner) ?? 0)
  const isSlow = (owner: string) =>
    now() < (slowUntil.get(owner) ?? 0) ||
    running.entries().some(([job, startedAt]) => job.owner === owner && now() - startedAt > slowJobMs)
  const runningOfSlow = () => running.keys().reduce((sum, { owner }) => sum + (owner && isSlow(owner) ? 1 : 0), 0)

  // The end of a job gives the next chance, so that no owner waits for its minute to be over.
  const rankOf = (owner: string | undefined): number => {
    if (owner === undefined) return RANKS.first
    const jobs = runningOf.get(owner) ?? 0
    const most = isLast(owner) ? 1 : isSlow(owner) ? half : Number.POSITIVE_INFINITY
    if (jobs >= Math.min(most, maxRunningPerOwner)) return RANKS.notNow
    if (isSlow(owner) && runningOfSlow() >= allButOne) return RANKS.notNow
    if (isLast(owner)) return RANKS.hitDeadline
    return jobs >= allButOne ? RANKS.hasMost : RANKS.first
  }

  const noteSlowness = (job: Job, { hitDeadline }: { hitDeadline: boolean }) => {
    const endedAt = now()
    for (const known of [slowUntil, lastUntil])
      for (const [owner, until] of known) if (until <= endedAt) known.delete(owner)
    if (job.owner === undefined) return
    const tookLong = endedAt - (running.get(job) ?? endedAt) > slowJobMs
    if (tookLong || hitDeadline) slowUntil.set(job.owner, endedAt + SLOW_FOR_MS)
    if (hitDeadline) lastUntil.set(job.owner, endedAt + SLOW_FOR_MS)
  }

  const countRunning = ({ lane, owner }: Job, change: 1 | -1) => {
    if (lane === 'background') backgroundRunning += change
    if (owner === undefined) return
    const jobs = (runningOf.get(owner) ?? 0) + change
    if (jobs === 0) runningOf.delete(owner)
    else runningOf.set(owner, jobs)
  }

  const nextLane = (): Lane => {
    const hasBackground = backgroundPlaces() > 0
    const isTurn = waiting.interactive.count() === 0 || peopleInARow >= PEOPLE_PER_BACKGROUND_JOB
    if (hasBackground && isTurn) {
      peopleInARow = 0
      return 'background'
    }
    peopleInARow = hasBackground ? peopleInARow + 1 : 0
    return 'interactive'
  }

  return {
    add: (job) => waiting[job.lane].add(job),
    putBack: (job) => waiting[job.lane].putBack(job),
    take: () => {
      const lane = nextLane()
      let job = waiting[lane].take(rankOf)
      const other: Lane = lane === 'interactive' ? 'background' : 'interactive'
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
    remove: (job) => waiting[job.lane].remove(job),
    isOverfull: ({ lane, owner }, aboutToStart) =>
      waiting[lane].count() - aboutToStart > maxQueue ||
      (owner !== undefined && waiting[lane].countOf(owner) - aboutToStart > maxQueuePerOwner),
    drain: () => [...waiting.interactive.drain(), ...waiting.background.drain()],
  }
}
