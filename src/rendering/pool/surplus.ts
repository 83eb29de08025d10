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
 * Tells whether a further job of an owner would be accepted. A full queue, or a full half of visitors, has no room for an
 * owner with about as many waiting jobs as the one with the most. Such owners would only take places from each other, and
 * each job that loses its place was prepared in vain.
 */
export function hasRoom<Job extends OwnedJob>(
  queue: FairQueue<Job>,
  { maxQueue, maxQueuePerOwner }: QueueLimits,
  { owner, aboutToStart }: { owner: string; aboutToStart: number },
): boolean {
  const own = queue.countOf(owner)
  if (own - aboutToStart >= maxQueuePerOwner) return false
  if (own === 0) return true
  const loads = queue.owners().map((one) => ({ ...one, isOfVisitor: isShareOfVisitors(shareOfJob(one.next)) }))
  const isVisitor = loads.some((load) => load.owner === owner && load.isOfVisitor)
  const rivals = isVisitor ? loads.filter(({ isOfVisitor }) => isOfVisitor) : loads
  const ofRivals = rivals.reduce((sum, { jobs }) => sum + jobs.length, 0)
  const isFull = queue.count() - aboutToStart >= maxQueue || (isVisitor && ofRivals - aboutToStart >= maxQueue / 2)
  return !isFull || own + 1 < Math.max(...rivals.map(({ jobs }) => jobs.length))
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
