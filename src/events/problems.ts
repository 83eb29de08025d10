import { defineProblems } from '../platform/problem.ts'

export const eventProblems = defineProblems({
  // Also for another person's event, so that ids cannot be probed.
  event_not_found: {
    status: 400,
    title: 'There is no event to continue after',
    help: '`after` is the id of the last event you have read. Leave it out to read from the oldest event.',
  },
})
