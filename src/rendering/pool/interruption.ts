import type { WaitingJobs } from '../../platform/concurrency/fair-queue.ts'
import { isShareOfVisitors } from '../../platform/fair-share.ts'
import {
  type FreeProcesses,
  MAX_INTERRUPTIONS,
  NOT_NOW,
  networkOfJob,
  type OwnedJob,
  SLOW_JOB_MS,
  type Standing,
  type StandingOptions,
  shareOfJob,
} from './standing.ts'

/**
 * How long a job may run before it makes room for a job of a lighter owner, in lengths of a slow job: at first, and
 * after each interruption. Most heavy jobs end within the second time.
 */
const QUANTA: readonly number[] = [3, 8]

/** The shortest of these times. An interruption ends a process, and starting another one takes a second. */
const MIN_QUANTUM_MS = 1_500

/** A job in the reserved process makes room after this many times the length of a slow job. */
const RESERVED_JOBS = 2

/** A running job makes room for jobs of owners whose jobs took less than this part of its time. */
const LIGHTER = 1 / 2

/** The process that is reserved for known owners of quick jobs, and its running job. */
export type ReservedProcess<Job> = { job: Job | undefined }

const isOfVisitor = (job: OwnedJob): boolean => isShareOfVisitors(shareOfJob(job))

export type InterruptionDeps<Job extends OwnedJob> = {
  standing: Standing<Job>
  /** The owners whose waiting jobs a running job makes room for. */
  waitingFor(job: Job): readonly WaitingJobs<Job>[]
  wantsReserved(): boolean
}

/**
 * Returns a running job to interrupt, as in a multilevel feedback queue: nothing is known about the first job of an
 * owner, so that it gets a short time, and more when it runs again. A job is only interrupted for a job that can start
 * then, and cannot start otherwise.
 */
export function findJobToInterrupt<Job extends OwnedJob>(
  { standing, waitingFor, wantsReserved }: InterruptionDeps<Job>,
  { processes, slowJobMs = SLOW_JOB_MS }: StandingOptions,
  reserved: ReservedProcess<Job> | undefined,
): Job | undefined {
  const { costOf } = standing
  const slow = reserved?.job
  if (slow !== undefined && costOf(slow) > RESERVED_JOBS * slowJobMs && wantsReserved()) return slow
  const isUsedUp = (job: Job) => {
    const { interruptions = 0 } = job
    const quantum = Math.max(MIN_QUANTUM_MS, (QUANTA[interruptions] ?? 0) * slowJobMs)
    return interruptions < MAX_INTERRUPTIONS && costOf(job) > quantum
  }
  const running = standing.running()
  const usedUp = running.filter(isUsedUp)
  if (usedUp.length === 0) return undefined

  const timeOf = standing.times()
  const free = processes - running.length
  const freeNow: FreeProcesses = {
    ready: processes,
    onlyReserved: free === 1 && reserved !== undefined && reserved.job === undefined,
  }
  const rankNow = free === 0 ? () => NOT_NOW : standing.rank(freeNow)
  const isLighter = (waiting: Job, job: Job) => {
    // Slow owners of one kind would otherwise interrupt each other all the time, and each interruption ends a process.
    const areOfOneKind = isOfVisitor(waiting) === isOfVisitor(job)
    if (areOfOneKind && standing.isSlow(waiting) && standing.isSlow(job)) return false
    const [network, other] = [networkOfJob(waiting), networkOfJob(job)]
    if (network !== other) return timeOf(network) < timeOf(other) * LIGHTER
    // Otherwise, the first jobs of many new accounts of one network would interrupt each other.
    const isKnown = waiting.owner !== undefined && standing.isKnownForQuickJobs(waiting.owner)
    return isKnown && timeOf(waiting.owner) < timeOf(job.owner) * LIGHTER
  }
  const mayUseReserved = standing.reservation()
  /** Whether a waiting job will soon get the reserved process, whose job makes room first. */
  const waitsForReserved = (waiting: Job) => slow !== undefined && mayUseReserved(waiting)
  const makesRoom = (job: Job) => {
    const rankThen = standing.rank({ ready: processes, onlyReserved: free === 0 && job === slow }, job)
    return waitingFor(job).some(({ owner, next }) => {
      const isHeldBack = rankNow(owner, next) === NOT_NOW && rankThen(owner, next) !== NOT_NOW
      return isHeldBack && !waitsForReserved(next) && isLighter(next, job)
    })
  }
  const heavier = (a: Job, b: Job) =>
    timeOf(networkOfJob(b)) - timeOf(networkOfJob(a)) ||
    timeOf(shareOfJob(b)) - timeOf(shareOfJob(a)) ||
    timeOf(b.owner) - timeOf(a.owner)
  const heaviestFirst = usedUp.toSorted(heavier)
  return heaviestFirst.find(makesRoom)
}
