export { measureArchive } from './measure-archive.ts'
export { measureBackup } from './measure-backup.ts'
export { measureWork } from './measure-work.ts'
export { systemRoutes } from './routes.ts'
