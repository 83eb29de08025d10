export { type Collected, type CollectionDeps, collect, reconcileObjects } from './collection/collect.ts'
export { type CollectionJobDeps, collectionJobs, withCollectionLock } from './collection/jobs.ts'
export { openFileStore } from './objects/file-store.ts'
export { type Admission, createFreeDisk, type FileSystemState, type FreeDisk } from './objects/free-disk.ts'
export type { ObjectStore } from './objects/object-store.ts'
export { isDiskFault, storageProblems, storageUnavailable } from './objects/problems.ts'
export type { StorageReferences } from './objects/references.ts'
export { storageAccountData } from './quota/account-data.ts'
export type { StorageCharges } from './quota/charges.ts'
export { chargeFormerUse, recordFormerUse } from './quota/former-use.ts'
export { quotaJobs } from './quota/jobs.ts'
export { createStorageQuota, type Reservation, type StorageQuota, type StorageUse } from './quota/quota.ts'
export {
  chargeFor,
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
  settleUnpaid,
  UNBOUNDED,
  type UnpaidBound,
  unpaidBoundFor,
} from './quota/unpaid.ts'
export { openS3Store, type S3Settings, S3SetupError } from './s3/s3-store.ts'
export { createStorage, isDamage, type Storage } from './storage.ts'
