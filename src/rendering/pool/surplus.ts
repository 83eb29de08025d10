import { createCounts } from '../../platform/concurrency/counts.ts'
import type { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { isShareOfVisitors } from '../../platform/fair-share.ts'
import { networkOfJob, type OwnedJob, shareOfJob } from './standing.ts'

export type QueueLimits = {
  /** The most waiting jobs of each priority. */
  maxQueue: number
  /** The most waiting jobs of one owner and priority. */
  maxQueuePerOwner: number
}

/** The waiting jobs of a share, and those of its owner with the most. */
type Load<Job> = { share: string | undefined; weights: readonly number[]; last: Job }

/**
 * Returns the job to reject after a job was added to a queue, if too many jobs wait. `JobQueue.surplusAfter` describes the
 * rules.
 */
export function findSurplus<Job extends OwnedJob>(
  queue: FairQueue<Job>,
  { maxQueue, maxQueuePerOwner }: QueueLimits,
  { job, aboutToStart, timeOf }: { job: Job; aboutToStart: number; timeOf: (name: string | undefined) => number },
): Job | undefined {
  const ownJobs = queue.countOf(job.owner)
  if (job.owner !== undefined && ownJobs - aboutToStart > maxQueuePerOwner) return job
  const placesOfVisitors = Math.floor(maxQueue / 4)
  const loads = loadsOf(queue, timeOf)
  const own = loads.find(({ owner }) => owner === job.owner)
  const visitors = loads.reduce((sum, { share, jobs }) => sum + (isShareOfVisitors(share) ? jobs : 0), 0)
  const isFull = queue.count() - aboutToStart > maxQueue
  const heaviest = (condition: (share: string | undefined) => boolean) => heaviestOf(loads, condition)
  /** The last job of an owner with more than the owner of the job. */
  const lastOfHeavier = (load: Load<Job> | undefined) =>
    load !== undefined && own !== undefined && compare(load, own) > 0 ? load.last : job
  if (!isShareOfVisitors(shareOfJob(job))) {
    if (!isFull) return undefined
    return lastOfHeavier(heaviest(visitors > placesOfVisitors ? () => true : (share) => !isShareOfVisitors(share)))
  }
  if (!isFull && visitors - aboutToStart <= maxQueue / 2) return undefined
  if (isFull && visitors <= placesOfVisitors) return heaviest((share) => !isShareOfVisitors(share))?.last ?? job
  return lastOfHeavier(heaviest(isShareOfVisitors))
}

/**
 * Tells whether an owner with waiting jobs should prepare a further one: whether two more would not make its jobs the ones
 * to reject. With one, owners with about as many jobs would take places from each other, and each job that loses its place
 * was prepared in vain.
 */
export function hasRoom<Job extends OwnedJob>(
  queue: FairQueue<Job>,
  limits: QueueLimits,
  {
    owner,
    aboutToStart,
    timeOf,
  }: { owner: string; aboutToStart: number; timeOf: (name: string | undefined) => number },
): boolean {
  const own = queue.owners().find((one) => one.owner === owner)
  if (own === undefined) return true
  if (own.jobs.length - aboutToStart >= limits.maxQueuePerOwner) return false
  const [job, another] = [{ ...own.next }, { ...own.next }]
  queue.add(job)
  queue.add(another)
  // The second of them counts for the comparison with other owners only.
  const more = { ...limits, maxQueuePerOwner: Number.POSITIVE_INFINITY }
  const surplus = findSurplus(queue, more, { job, aboutToStart: aboutToStart + 1, timeOf })
  queue.remove(job)
  queue.remove(another)
  return surplus?.owner !== owner
}

/**
 * Each owner with waiting jobs, in the order of the queue, and how it compares: first by its network, then by its share,
 * then by itself.
 */
function loadsOf<Job extends OwnedJob>(queue: FairQueue<Job>, timeOf: (name: string | undefined) => number) {
  const owners = queue
    .owners()
    .map(({ owner, jobs, next }) => ({ owner, jobs, share: shareOfJob(next), network: networkOfJob(next) }))
  const ofNetworks = createCounts()
  const ofShares = createCounts()
  for (const { network = '', share = '', jobs } of owners) {
    ofNetworks.add(network, jobs.length)
    ofShares.add(share, jobs.length)
  }
  return owners.map(({ owner, share, network, jobs }) => {
    const weightOfNetwork = [ofNetworks.of(network ?? ''), timeOf(network)]
    const weights = [...weightOfNetwork, ofShares.of(share ?? ''), timeOf(share), jobs.length, timeOf(owner)]
    return { owner, share, jobs: jobs.length, last: jobs.at(-1) as Job, weights }
  })
}

function heaviestOf<Job>(
  loads: readonly Load<Job>[],
  condition: (share: string | undefined) => boolean,
): Load<Job> | undefined {
  let heaviest: Load<Job> | undefined
  for (const load of loads) {
    if (condition(load.share) && (heaviest === undefined || compare(load, heaviest) > 0)) heaviest = load
  }
  return heaviest
}

/** Compares two owners by their weights, the first differing one decides. */
function compare(a: Pick<Load<unknown>, 'weights'>, b: Pick<Load<unknown>, 'weights'>): number {
  const index = a.weights.findIndex((weight, at) => weight !== b.weights[at])
  return index < 0 ? 0 : (a.weights[index] ?? 0) - (b.weights[index] ?? 0)
}
