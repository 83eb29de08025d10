import { defineProblems } from '../../problem.ts'

export const storageProblems = defineProblems({
  storage_unavailable: {
    status: 503,
    title: 'Storage unavailable',
    help: 'The disk is full, or the object storage does not respond. Nothing was changed. Repeat the request after the number of seconds in `Retry-After`.',
  },
  storage_quota_exceeded: {
    status: 413,
    title: 'Storage quota exceeded',
    help: '`used` is the storage that the account uses, or what it added without paying for it, and `quota` its limit, in bytes. Delete assets and fonts that are no longer needed, or make drafts smaller. A deleted file counts until the service removes it from the disk, which takes about a day. Print files and records of finalized designs, quotes and orders count for 24 hours unless they are paid for.',
  },
})

const RETRY_SECONDS = 10

/** Returns the problem for a client if bytes cannot be stored or read. The cause is only for the log. */
export function storageUnavailable(cause: unknown, detail?: string) {
  const problem = storageProblems.storage_unavailable({
    headers: { 'Retry-After': String(RETRY_SECONDS) },
    ...(detail === undefined ? {} : { detail }),
  })
  problem.cause = cause
  return problem
}

/** Codes of system calls which mean that the disk or its file system is full, broken or missing. */
const DISK_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'ESTALE', 'ENXIO', 'ENODEV'])

/** Tells whether a code of a system call means a fault of the disk. */
export function isDiskFault(code: unknown): boolean {
  return typeof code === 'string' && DISK_FAULTS.has(code)
}
