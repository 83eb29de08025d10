export {
  type Checker,
  type CheckPool,
  createChecker,
  type DocumentChecks,
  DocumentTooComplex,
  type Excess,
} from './checking/checker.ts'
export type {
  CheckingJobs,
  ContentHashJob,
  PreflightJob as CheckJob,
  ValuesJob,
  ValuesOutcome,
} from './checking/jobs.ts'
export {
  type AssetRefusal,
  type FontRefusal,
  RenderFailed,
  type RenderFailure,
  RenderQueueFull,
  renderFaultOf,
} from './errors.ts'
export type { AssetColorSpace, AssetInfo } from './images/inspect-image.ts'
export { inspectWith } from './inspect-uploads.ts'
export { installedFamilies, listInstalledFamilies } from './installed-fonts/installed-fonts.ts'
export type { FilesToMerge, MergeOutcome } from './jobs/merge-print-files.ts'
export { measureJobs } from './measure-jobs.ts'
export { type Pools, startPools } from './pools.ts'
export { createRemotePool, createStarts, START_JOB, serveRemotePools } from './remote/remote-pool.ts'
export {
  createRenderer,
  type JobOptions,
  type Renderer,
  type RendererOptions,
  type RenderPool,
} from './renderer.ts'
export type {
  HashedPrintJob,
  JobFont,
  JobImage,
  PreviewFormat,
  PreviewJob,
  PrintJob,
  RenderedFile,
  SheetJob,
} from './types.ts'
export type { FontInfo } from './user-fonts/inspect-font.ts'
