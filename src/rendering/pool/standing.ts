import { isShareOfVisitors, networkOfShare } from '../../platform/fair-share.ts'
import { createTimeUsed } from './time-used.ts'

/**
 * The properties of a job that decide when it runs. A job without an owner does not count towards the limits of any
 * owner.
 */
export type OwnedJob = {
  owner?: string | undefined
  /** The share of the owner, which other owners may have too (`shareOf`). Defaults to the owner. */
  share?: string | undefined
  /** How often the job was interrupted for a job of another owner. Defaults to 0. */
  interruptions?: number
  /** Returns the processor time of the running job so far, in milliseconds. */
  cpuMs?: () => number
  /** Whether the process of the running job has a low priority, so that others make it wait. */
  hasLowPriority?: boolean
}

/** The processes that can take a job now. */
export type FreeProcesses = {
  /** Processes that have started. Heavy owners leave two of these, because starting one takes time. */
  ready: number
  /** Whether the reserved process is the only free one. */
  onlyReserved: boolean
  /** Whether only processes of slow owners are free, and others can be started. Defaults to false. */
  onlyForSlow?: boolean
}

export type StandingOptions = {
  processes: number
  /** The most running jobs of one share, even if no other owner waits. Defaults to no limit. */
  maxRunningPerOwner?: number
  /** An ordinary job is shorter than this. Defaults to 5 s. */
  slowJobMs?: number
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/** The running jobs and what they took, from which follows which owner comes next. */
export type Standing<Job extends OwnedJob> = {
  start(job: Job): void
  /** Records that a running job has ended. An interrupted job counts as long. */
  end(job: Job, how: { wasInterrupted: boolean }): void
  running(): readonly Job[]
  /**
   * What a running job has used, in milliseconds: its processor time, or a quarter of its time if that is more, because a
   * job that waits keeps its process. At low priority, only processor time counts. If it is unknown, all of the time counts.
   */
  costOf(job: Job): number
  /** Returns the time that shares and owners have used lately, running jobs included. */
  times(): (name: string | undefined) => number
  /** Returns which jobs may use the reserved process. */
  reservation(): (job: Job) => boolean
  /** Whether jobs of an owner have ended, and none of the last ten minutes was long. */
  isKnownForQuickJobs(owner: string): boolean
  /** Whether a customer, or the network of visitors, had a long job in the last ten minutes. */
  isSlow(job: Job): boolean
  /**
   * Returns the order of owners at this moment, which changes whenever a job starts or ends. The rank is `NOT_NOW` if the
   * next job of an owner must not start.
   *
   * @param without a running job that is treated as if it had ended
   */
  rank(free: FreeProcesses, without?: Job): (owner: string | undefined, next: Job) => number
}

export const shareOfJob = ({ owner, share = owner }: OwnedJob): string | undefined => share

/** The rank of an owner that may start no further job now. */
export const NOT_NOW = Number.POSITIVE_INFINITY

/** A job may be interrupted this many times. After that, it runs to its end. */
export const MAX_INTERRUPTIONS = 2

/** A job of this length takes many times as long as an ordinary design, and a third of the time limit of a job. */
export const SLOW_JOB_MS = 5_000
/**
 * A long job takes this many times the length of a slow job. Ordinary jobs stay below this, even in a process that has
 * just started on a busy computer.
 */
const LONG_JOBS = 4
/** On a busy computer, ordinary jobs take up to this many times their processor time, and must not count as long. */
const BUSY_FACTOR = 4
/** An owner is heavy if its recent jobs together took this many times the length of a slow job. */
const HEAVY_JOBS = 20
/** An owner is not heavy beside a running job of another owner whose jobs together took this many times as long. */
const HEAVIER = 2

/**
 * After this time without a job of others, the visitors of a network and the shares with a long job need not leave a
 * place. The next of the others waits once for an interruption.
 */
const ALONE_AFTER_MS = 60_000

/**
 * Ranks of networks and other shares are whole or half numbers. The rank of a share within its network, or of an owner
 * within its share, stays below half of one.
 */
const RANKS_WITHIN = 128

/** Creates the record of the running jobs of a pool. `createJobQueue` describes the rules. */
export function createStanding<Job extends OwnedJob>(options: StandingOptions): Standing<Job> {
  const { processes, now = () => performance.now() } = options
  const { maxRunningPerOwner = Number.POSITIVE_INFINITY, slowJobMs = SLOW_JOB_MS } = options
  const allButOne = Math.max(1, processes - 1)
  const allButTwo = Math.max(1, processes - 2)
  const allButThree = Math.max(1, processes - 3)
  const half = Math.ceil(processes / 2)
  const started = new Map<Job, number>()
  const used = createTimeUsed(now)

  const costOf = (job: Job) => {
    const ms = now() - (started.get(job) ?? now())
    if (job.cpuMs === undefined) return ms
    return job.hasLowPriority === true ? job.cpuMs() : Math.max(job.cpuMs(), ms / BUSY_FACTOR)
  }

  const times = () => {
    const running = new Map<string, number>()
    for (const job of started.keys()) {
      for (const name of namesOf(job)) running.set(name, (running.get(name) ?? used.of(name)) + costOf(job))
    }
    return (name: string | undefined) => (name === undefined ? 0 : (running.get(name) ?? used.of(name)))
  }

  const heaviness = (timeOf: (name: string | undefined) => number) => {
    const longest = Math.max(0, ...Array.from(started.keys(), (job) => timeOf(shareOfJob(job))))
    return (share: string) => {
      const time = timeOf(share)
      return time > HEAVY_JOBS * slowJobMs && longest <= HEAVIER * time
    }
  }

  const trustUnlessHeavy = (isHeavy: (share: string) => boolean) => (share: string) =>
    !isShareOfVisitors(share) && used.isTrusted(share) && !isHeavy(share)

  /** The network of visitors who started a job last, and the one before it. */
  let lastVisits: { network: string; at: number }[] = []
  const noteVisit = (network: string) => {
    const other = lastVisits.find((visit) => visit.network !== network)
    lastVisits = [{ network, at: now() }, ...(other === undefined ? [] : [other])]
  }
  const isAlone = (network: string) =>
    lastVisits.every((visit) => visit.network === network || now() - visit.at > ALONE_AFTER_MS)

  /** The most running jobs of visitors of one network. They leave a place to those of other networks. */
  const limitOfNetwork = (network: string) => (isAlone(network) ? allButTwo : allButThree)

  const isSlow = (share: string) => used.hadLongJob(networkOfShare(share))
  /** When a job of a share that is not slow started last. */
  let lastQuickStart = Number.NEGATIVE_INFINITY

  /** Owners with less time than a slow job have the same rank. Above that, a rank spans twice the time of the one before. */
  const rankOfTime = (ms: number) => Math.floor(Math.log2(1 + ms / slowJobMs))
  /** New members come after those of whom quick jobs are known, because a client may register any number of accounts. */
  const rankWithin = (name: string, ms: number) => (rankOfTime(ms) + (used.isTrusted(name) ? 0 : 1)) / RANKS_WITHIN

  return {
    start: (job) => {
      started.set(job, now())
      const share = shareOfJob(job)
      if (share === undefined) return
      if (isShareOfVisitors(share)) noteVisit(networkOfShare(share))
      if (!isSlow(share)) lastQuickStart = now()
    },
    end: (job, { wasInterrupted }) => {
      const ms = costOf(job)
      const isLong = wasInterrupted || ms > LONG_JOBS * slowJobMs
      for (const name of namesOf(job)) used.add(name, { ms, isLong })
      started.delete(job)
    },
    running: () => Array.from(started.keys()),
    costOf,
    times,
    reservation: () => {
      const isTrusted = trustUnlessHeavy(heaviness(times()))
      const running = new Set(Array.from(started.keys(), shareOfJob))
      return (job) => {
        const share = shareOfJob(job)
        return share !== undefined && !running.has(share) && isTrusted(share)
      }
    },
    isKnownForQuickJobs: used.isTrusted,
    isSlow: (job) => {
      const share = shareOfJob(job)
      return share !== undefined && isSlow(share)
    },
    rank: ({ ready, onlyReserved, onlyForSlow = false }, without) => {
      const timeOf = times()
      const isHeavy = heaviness(timeOf)
      const isTrusted = trustUnlessHeavy(isHeavy)
      const running = Array.from(started.keys()).filter((job) => job !== without)
      const shares = running.map(shareOfJob).filter((share) => share !== undefined)
      const count = (condition: (share: string) => boolean) => shares.filter(condition).length
      const visitorsMayStart = count(isShareOfVisitors) < allButTwo
      const slow = now() - lastQuickStart > ALONE_AFTER_MS ? [] : shares.filter(isSlow)
      /** Slow visitors, who may be any number, do not take the places of slow customers, nor the other way round. */
      const slowMayStart = (share: string) => {
        const ofKind = slow.filter((one) => isShareOfVisitors(one) === isShareOfVisitors(share))
        return slow.length < allButTwo && ofKind.length < allButThree
      }
      const heavyMayStart = count(isHeavy) < Math.max(1, ready - 2)
      const untrustedMayStart = !onlyReserved && count((share) => !isTrusted(share)) < allButOne
      const unstoppableMayStart = running.filter(isUnstoppable).length < allButThree
      return (owner, next) => {
        const share = shareOfJob(next)
        if (owner === undefined || share === undefined) return 0
        const jobs = count((one) => one === share)
        if (jobs >= maxRunningPerOwner || (onlyReserved && jobs > 0)) return NOT_NOW
        if (onlyForSlow && !isSlow(share)) return NOT_NOW
        const network = networkOfShare(share)
        if (isShareOfVisitors(share)) {
          const ofNetwork = count((one) => networkOfShare(one) === network)
          if (!visitorsMayStart || ofNetwork >= limitOfNetwork(network)) return NOT_NOW
        }
        if (isSlow(share) && !slowMayStart(share)) return NOT_NOW
        if (isHeavy(share) && (jobs >= half || !heavyMayStart)) return NOT_NOW
        if (!isTrusted(share) && !untrustedMayStart) return NOT_NOW
        if (isUnstoppable(next) && !unstoppableMayStart) return NOT_NOW
        const ofOwner = owner === share ? 0 : rankWithin(owner, timeOf(owner)) / RANKS_WITHIN
        const ofShare = share === network ? ofOwner * RANKS_WITHIN : rankWithin(share, timeOf(share)) + ofOwner
        const rank = rankOfTime(timeOf(network)) + ofShare
        return jobs >= allButOne ? rank + 0.5 : rank
      }
    },
  }
}

/** Whether a job has been interrupted so often that it now runs to its end. */
function isUnstoppable({ interruptions = 0 }: OwnedJob): boolean {
  return interruptions >= MAX_INTERRUPTIONS
}

/** The network of a job of visitors, otherwise its share. */
export function networkOfJob(job: OwnedJob): string | undefined {
  const share = shareOfJob(job)
  return share && networkOfShare(share)
}

/** The names under which the time of a job counts: its network, its share and its owner, as far as they differ. */
function namesOf(job: OwnedJob): readonly string[] {
  return [...new Set([networkOfJob(job), shareOfJob(job), job.owner])].filter((name) => name !== undefined)
}
