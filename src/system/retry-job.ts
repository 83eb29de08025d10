import type { Trx } from '../platform/db/index.ts'
import { lockStoredJob, runJobNow, type StoredJob } from '../platform/jobs/stored-jobs.ts'
import { systemProblems } from './problems.ts'

/**
 * Lets a job run again now, after its latest attempt has failed. A job whose attempts were used up gets one more. A job
 * that is running or due stays as it is, so that a request can be repeated.
 *
 * @throws `job_not_found`, `job_not_failed`
 */
export async function retryJob(trx: Trx, jobId: string): Promise<{ job: StoredJob; isChanged: boolean }> {
  const id = readJobId(jobId)
  const job = id === undefined ? undefined : await lockStoredJob(trx, id)
  if (job === undefined) throw systemProblems.job_not_found()
  if (job.state === 'running') return { job, isChanged: false }
  if (job.state === 'waiting' && job.isDue) return { job, isChanged: false }
  if (job.attempts === 0) throw systemProblems.job_not_failed()
  await runJobNow(trx, job.id)
  return { job: (await lockStoredJob(trx, job.id)) ?? job, isChanged: true }
}

/** Ids of jobs are numbers that JavaScript represents exactly. */
export function readJobId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}
