export type RunningJob = {
  /**
   * Records how far the job has come, as a number. If the process dies, `RenderFailed` contains the last number. Takes
   * almost no time.
   */
  atStep(step: number): void
  /** Ends this process. Handlers call this after failures that leave the process in an undefined state. */
  abort(): never
}

/** A handler of jobs of one kind. It runs in a child process, so input and output must survive structured cloning. */
export type JobHandler = (input: never, job: RunningJob) => Promise<unknown>
export type JobHandlers = Readonly<Record<string, JobHandler>>

export type JobInput<Handler extends JobHandler> = Parameters<Handler>[0]
export type JobOutput<Handler extends JobHandler> = Awaited<ReturnType<Handler>>

export type JobRequest = {
  kind: string
  input: unknown
  /** Whether the job has no content of customers. Such a job needs no watchdog, whose thread would take memory. */
  isTrusted?: boolean
}

/** A message from parent to child. A child has one job at a time. `number` counts its jobs. */
export type NumberedRequest = JobRequest & { number: number }

/**
 * A message from child to parent, sent once when the child can take jobs. If the child dies before it sends this
 * message, no job is the cause.
 */
export type ChildReady = { ready: true }

/**
 * A message from child to parent. `rssMb` is the resident memory after the job. The parent replaces a child that uses
 * too much memory. `cpuMs` is the processor time of the job. `systemCode` is the code of a failed system call, such as
 * `ENOSPC` for a full disk. `number` is that of the request, so that no job gets the result of another one.
 */
export type JobReply = { number: number; rssMb: number; cpuMs: number } & (
  | { ok: true; value: unknown }
  | { ok: false; message: string; systemCode: string | undefined }
)

/**
 * A message from child to parent, which asks for memory of the pool. With 0 bytes, it gives back what an earlier message
 * with the same number asked for.
 */
export type MemoryClaim = { claim: number; bytes: number }

/** A message from parent to child: the child now has the memory of this claim. */
export type MemoryGranted = { granted: number }

export type ChildMessage = ChildReady | JobReply | MemoryClaim
