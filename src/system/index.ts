export { measureArchive } from './measure-archive.ts'
export { measureWork } from './measure-work.ts'
export { systemRoutes } from './routes.ts'
