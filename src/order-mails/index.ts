export { createOrderMailDeps, type OrderMailDeps } from './context.ts'
export { type OrderMailEngine, startOrderMails } from './engine.ts'
export { orderMailJobs } from './jobs.ts'
export { mailPreviewRoutes } from './preview/routes.ts'
