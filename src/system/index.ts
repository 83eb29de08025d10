export { measureWork } from './measure-work.ts'
export { systemRoutes } from './routes.ts'
