export type RunningJob = {
  /** Records how far the job has come. `RenderFailed` has it if the process dies. Costs almost nothing. */
  atStep(step: number): void
  /** Ends this process, because its state is undefined. */
  abort(): never
}

/** A handler of jobs of one kind: runs in a child process, so input and output must survive structured cloning. */
export type JobHandler = (input: never, job: RunningJob) => Promise<unknown>
export type JobHandlers = Readonly<Record<string, JobHandler>>

export type JobInput<Handler extends JobHandler> = Parameters<Handler>[0]
export type JobOutput<Handler extends JobHandler> = Awaited<ReturnType<Handler>>

/** Parent to child. A child has one job at a time, so a request needs no id. */
export type JobRequest = { kind: string; input: unknown }

/** Child to parent, once, when it can take jobs. No job is at fault if a child dies before. */
export type ChildReady = { ready: true }

/**
 * Child to parent. `rssMb` is the resident memory after the job; the parent replaces a child that uses too much.
 * `systemCode` is that of a failed system call, such as for a full disk.
 */
export type JobReply = { rssMb: number } & (
  | { ok: true; value: unknown }
  | { ok: false; message: string; systemCode: string | undefined }
)

export type ChildMessage = ChildReady | JobReply
