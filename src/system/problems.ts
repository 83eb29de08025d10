import { defineProblems } from '../platform/problem.ts'

export const systemProblems = defineProblems({
  job_not_found: { status: 404, title: 'Job not found', help: 'Jobs that are done are deleted. List the jobs again.' },
  // Running early would end a waiting period, such as the one before lost second factors are removed.
  job_not_failed: {
    status: 409,
    title: 'No attempt of the job has failed',
    help: 'The job runs at the time in `runAt`. Only a job whose latest attempt has failed can be retried.',
  },
})
