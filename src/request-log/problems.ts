import { defineProblems } from '../platform/problem.ts'

export const requestLogProblems = defineProblems({
  request_not_found: {
    status: 404,
    title: 'Request not found',
    help: 'The log contains requests of the last 7 days, about a second after their responses. On days with very many requests some are missing.',
  },
})
