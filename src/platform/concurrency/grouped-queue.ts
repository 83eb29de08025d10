export interface GroupedJob<Group> {
  owner: string | undefined
  group: Group
}

/** Jobs of owners, which belong to groups. Groups are served in rotation, and so are the owners of a group. */
export interface GroupedQueue<Group, Job extends GroupedJob<Group>> {
  /** Adds a job to the group with the same key. The object of its first waiting job stands for the group. */
  add(job: Job): void
  /**
   * Takes the first job of the next owner of the group that is served next. The cost grows with the number of groups, and
   * not with that of their owners, apart from those that may not be served.
   *
   * @param rankOf rank of a group with the job that it would get, or undefined if none of its owners may be served.
   *   Groups with a lower rank are served first, groups with the same rank in rotation, and groups with an infinite rank
   *   not at all
   * @param mayServe tells whether an owner, whose first job it gets, may be served
   */
  take(rankOf: (group: Group, next: Job | undefined) => number, mayServe: (first: Job) => boolean): Job | undefined
  /** Removes a waiting job. Returns false if the job is not in this queue. */
  remove(job: Job): boolean
  count(): number
  /** Calls a function for each group with waiting jobs. */
  forEachGroup(visit: (group: Group) => void): void
}

export function createGroupedQueue<Group extends { key: string }, Job extends GroupedJob<Group>>(): GroupedQueue<
  Group,
  Job
> {
  // The order of the entries is the order in which they are served.
  const entries = new Map<string, { group: Group; owners: Map<Job['owner'], Job[]> }>()
  let count = 0

  const nextOf = (owners: Map<Job['owner'], Job[]>, mayServe: (first: Job) => boolean): Job | undefined => {
    for (const [first] of owners.values()) if (first !== undefined && mayServe(first)) return first
    return undefined
  }

  /** @param isServed whether the owner and its group go to the end of the rotation */
  const takeOff = (job: Job, { isServed }: { isServed: boolean }): boolean => {
    const { owner, group } = job
    const entry = entries.get(group.key)
    const jobs = entry?.owners.get(owner)
    const index = jobs?.indexOf(job) ?? -1
    if (entry === undefined || jobs === undefined || index === -1) return false
    jobs.splice(index, 1)
    count -= 1
    if (isServed || jobs.length === 0) entry.owners.delete(owner)
    if (isServed && jobs.length > 0) entry.owners.set(owner, jobs)
    if (isServed || entry.owners.size === 0) entries.delete(group.key)
    if (isServed && entry.owners.size > 0) entries.set(group.key, entry)
    return true
  }

  return {
    add: (job) => {
      const { owner, group } = job
      const entry = entries.get(group.key) ?? { group, owners: new Map() }
      const jobs = entry.owners.get(owner) ?? []
      jobs.push(job)
      entry.owners.set(owner, jobs)
      entries.set(group.key, entry)
      count += 1
    },
    take: (rankOf, mayServe) => {
      let best: Job | undefined
      let lowest = Number.POSITIVE_INFINITY
      for (const { group, owners } of entries.values()) {
        const next = nextOf(owners, mayServe)
        const rank = rankOf(group, next)
        if (next === undefined || rank >= lowest) continue
        lowest = rank
        best = next
      }
      if (best !== undefined) takeOff(best, { isServed: true })
      return best
    },
    remove: (job) => takeOff(job, { isServed: false }),
    count: () => count,
    forEachGroup: (visit) => {
      for (const { group } of entries.values()) visit(group)
    },
  }
}
