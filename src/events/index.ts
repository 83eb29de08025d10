export { eventAccountData } from './account-data.ts'
export { eventJobs } from './jobs.ts'
export { eventRoutes } from './routes.ts'
export { createEventStreams, type EventStreams } from './stream/streams.ts'
