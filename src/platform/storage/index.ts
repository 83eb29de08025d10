export { type Collected, type CollectionDeps, collect, reconcileObjects } from './collection/collect.ts'
export { type CollectionJobDeps, collectionJobs, withCollectionLock } from './collection/jobs.ts'
export { type CollectionPause, pauseCollection } from './collection/pause.ts'
export { createDownloadPace, type PaceDownload } from './objects/download-pace.ts'
export { createFileBudget, fileRates, measureFiles } from './objects/file-budgets.ts'
export { openFileStore } from './objects/file-store.ts'
export { type Admission, createFreeDisk, type FileSystemState, type FreeDisk } from './objects/free-disk.ts'
export { inspectObject, type ObjectSource, openIfThere } from './objects/inspect-object.ts'
export { listReferenced } from './objects/list-referenced.ts'
export { measureStore } from './objects/measure-store.ts'
export {
  type Announcement,
  type NewObject,
  type ObjectStore,
  requireSha256,
  type StoredObject,
} from './objects/object-store.ts'
export { isDiskFault, storageProblems, storageUnavailable } from './objects/problems.ts'
export type { StorageReferences } from './objects/references.ts'
export { type StoreWatch, watchStore } from './objects/store-comparison.ts'
export { storageAccountData } from './quota/account-data.ts'
export { changeOwnQuota, findOwnQuota, type StorageAccount, type UsagePlace } from './quota/accounts.ts'
export type { StorageCharges } from './quota/charges.ts'
export { chargeFormerUse, keepFormerUseForNetwork, recordFormerUse } from './quota/former-use.ts'
export { quotaJobs } from './quota/jobs.ts'
export { createStorageQuota, type Reservation, type StorageQuota } from './quota/quota.ts'
export {
  chargeFor,
  chargesFor,
  closeUsage,
  compareUsageSoon,
  forgetUsage,
  recordUpload,
  recordUsage,
  releaseLeftReservations,
  releaseUpload,
  setQuota,
} from './quota/store.ts'
export {
  extendUnpaid,
  forgetUnpaid,
  growUnpaid,
  lockAdditions,
  markPaid,
  recountPaid,
  settleUnpaid,
  UNBOUNDED,
  type UnpaidBound,
  unpaidBoundFor,
} from './quota/unpaid.ts'
export type { S3Settings } from './s3/s3-client.ts'
export { S3SetupError } from './s3/s3-errors.ts'
export { type NamedFiles, openS3NamedFiles } from './s3/s3-named-files.ts'
export { openS3Store } from './s3/s3-store.ts'
export { createStorage, isDamage, type Storage } from './storage.ts'
