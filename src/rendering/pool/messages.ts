/** The job in hand, as its handler sees it. */
export type RunningJob = {
  /** Remembers how far the job has come: `RenderFailed` has it if the process does not survive the job. Costs next to nothing. */
  atStep(step: number): void
  /** Ends this process, because it is in no known state. */
  abort(): never
}

/** A handler of jobs of one kind: runs in a child process, so input and output must survive structured cloning. */
export type JobHandler = (input: never, job: RunningJob) => Promise<unknown>
export type JobHandlers = Readonly<Record<string, JobHandler>>

export type JobInput<Handler extends JobHandler> = Parameters<Handler>[0]
export type JobOutput<Handler extends JobHandler> = Awaited<ReturnType<Handler>>

/** Parent to child. A child has one job at a time, so a request needs no id. */
export type JobRequest = { kind: string; input: unknown }

/** Child to parent, once, when it can take jobs: one that dies before that died of no job. */
export type ChildReady = { ready: true }

/**
 * Child to parent. `rssMb` is what the process holds after the job; the parent retires a bloated one. `systemCode` is that
 * of a system call that failed: of a full disk, say.
 */
export type JobReply = { rssMb: number } & (
  | { ok: true; value: unknown }
  | { ok: false; message: string; systemCode: string | undefined }
)

export type ChildMessage = ChildReady | JobReply
