/** A queue that serves owners in rotation (round robin). All jobs without an owner count as jobs of one owner. */
export type FairQueue<Job> = {
  add(job: Job): void
  putBack(job: Job): void
  /**
   * Takes the first job of the owner that is served next.
   *
   * @param rankOf rank of an owner with its first waiting job. Owners with a lower rank are served first, owners with the
   *   same rank in rotation, and owners with an infinite rank not at all. By default, all owners have the same rank
   */
  take(rankOf?: (owner: string | undefined, first: Job) => number): Job | undefined
  /** Removes a waiting job. Returns false if the job is not in this queue. */
  remove(job: Job): boolean
  count(): number
  countOf(owner: string | undefined): number
  /** The owners with waiting jobs and their jobs, in the order in which they are served. */
  owners(): readonly WaitingJobs<Job>[]
  /**
   * Returns the last job of the owner with the most jobs. If several owners have as many, returns the last job of the
   * one with the largest weight, and of these, of the one that is served next.
   *
   * @param condition which owners are considered. Default: all
   * @param weightOf default: the same for all
   */
  lastOfLongest(
    condition?: (owner: string | undefined) => boolean,
    weightOf?: (owner: string | undefined) => number,
  ): Job | undefined
  drain(): Job[]
}

/** The waiting jobs of an owner, the next one first. */
export type WaitingJobs<Job> = { owner: string | undefined; jobs: readonly Job[]; next: Job }

export function createFairQueue<Job extends { owner?: string | undefined }>(): FairQueue<Job> {
  // One entry per owner with waiting jobs. The owner of the first entry is served next.
  let queues: { owner: string | undefined; jobs: Job[] }[] = []
  let count = 0

  const queueOf = (owner: string | undefined) => queues.find((queue) => queue.owner === owner)
  const dropEmpty = () => {
    queues = queues.filter(({ jobs }) => jobs.length > 0)
  }

  return {
    add: (job) => {
      count += 1
      const queue = queueOf(job.owner)
      if (queue === undefined) queues.push({ owner: job.owner, jobs: [job] })
      else queue.jobs.push(job)
    },
    putBack: (job) => {
      count += 1
      const jobs = [job, ...(queueOf(job.owner)?.jobs ?? [])]
      queues = [{ owner: job.owner, jobs }, ...queues.filter(({ owner }) => owner !== job.owner)]
    },
    take: (rankOf = () => 0) => {
      const ranks = queues.map(({ owner, jobs }) => rankOf(owner, jobs[0] as Job))
      const first = Math.min(...ranks)
      const queue = Number.isFinite(first) ? queues[ranks.indexOf(first)] : undefined
      if (queue === undefined) return undefined
      queues = [...queues.filter((other) => other !== queue), queue]
      const job = queue.jobs.shift()
      count -= 1
      dropEmpty()
      return job
    },
    remove: (job) => {
      const jobs = queueOf(job.owner)?.jobs ?? []
      const index = jobs.indexOf(job)
      if (index < 0) return false
      jobs.splice(index, 1)
      count -= 1
      dropEmpty()
      return true
    },
    count: () => count,
    countOf: (owner) => queueOf(owner)?.jobs.length ?? 0,
    owners: () => queues.map(({ owner, jobs }) => ({ owner, jobs, next: jobs[0] as Job })),
    lastOfLongest: (condition = () => true, weightOf = () => 0) => {
      const considered = queues.filter(({ owner }) => condition(owner))
      const longest = Math.max(...considered.map(({ jobs }) => jobs.length))
      const equal = considered.filter(({ jobs }) => jobs.length === longest)
      // Each weight is asked for once, because it may change with time.
      const weights = equal.map(({ owner }) => weightOf(owner))
      return equal[weights.indexOf(Math.max(...weights))]?.jobs.at(-1)
    },
    drain: () => {
      const all = queues.flatMap(({ jobs }) => jobs)
      queues = []
      count = 0
      return all
    },
  }
}
