/** Who waits for a job: a person, or a job of the service's own that can wait a little longer. */
export type Lane = 'interactive' | 'background'

export type LaneOptions = {
  /** Processes at most. */
  processes: number
  /** Jobs that may wait in each lane. */
  maxQueue: number
}

/** The jobs that wait for a process, in two lanes. */
export type Lanes<Job extends { lane: Lane }> = {
  add(job: Job): void
  /** Puts a job back to where it came from: before all that wait in its lane. */
  putBack(job: Job): void
  /** Takes the job whose turn it is, if one may start beside those that run now. */
  take(): Job | undefined
  /** How many of the waiting jobs could start if there were processes for all. */
  startable(): number
  /** A job that was taken has ended. */
  end(job: Job): void
  /** Takes out the newest job of a lane that is too long, not counting this many that are about to start. */
  overflow(lane: Lane, aboutToStart: number): Job | undefined
  /** Takes out all that wait. */
  drain(): Job[]
}

/** So many people are served before one waiting background job has its turn: they are first, but never the only ones. */
const PEOPLE_PER_BACKGROUND_JOB = 8

/**
 * People first. Background jobs leave them one process, where there is more than one, because a job that runs is never
 * interrupted; and they have a turn now and then however many people there are.
 */
export function createLanes<Job extends { lane: Lane }>({ processes, maxQueue }: LaneOptions): Lanes<Job> {
  const waiting: Record<Lane, Job[]> = { interactive: [], background: [] }
  const backgroundLimit = Math.max(1, processes - 1)
  let backgroundRunning = 0
  let peopleInARow = 0

  const backgroundPlaces = () => Math.min(waiting.background.length, backgroundLimit - backgroundRunning)

  const takeBackground = () => {
    peopleInARow = 0
    backgroundRunning += 1
    return waiting.background.shift()
  }

  return {
    add: (job) => void waiting[job.lane].push(job),
    putBack: (job) => void waiting[job.lane].unshift(job),
    take: () => {
      const hasBackground = backgroundPlaces() > 0
      if (hasBackground && (waiting.interactive.length === 0 || peopleInARow >= PEOPLE_PER_BACKGROUND_JOB)) {
        return takeBackground()
      }
      peopleInARow = hasBackground ? peopleInARow + 1 : 0
      return waiting.interactive.shift()
    },
    startable: () => waiting.interactive.length + backgroundPlaces(),
    end: (job) => {
      if (job.lane === 'background') backgroundRunning -= 1
    },
    overflow: (lane, aboutToStart) =>
      waiting[lane].length - aboutToStart > maxQueue ? waiting[lane].pop() : undefined,
    drain: () => [...waiting.interactive.splice(0), ...waiting.background.splice(0)],
  }
}
