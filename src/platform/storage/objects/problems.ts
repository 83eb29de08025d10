import { Type } from 'typebox'
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
    members: {
      used: Type.Integer({ description: 'Bytes in use.' }),
      quota: Type.Integer({ description: 'Limit in bytes.' }),
    },
    help: '`used` states how much of the limit `quota` the account uses, in bytes. To reduce the storage of uploads and drafts, delete assets and fonts that are no longer needed, or make drafts smaller. A deleted file counts until the service removes it from the disk, which takes about a day. Two other limits also cause this problem; `detail` then names the limit. One covers finalized designs, quotes and orders that are not paid for, the other the responses that are stored for `Idempotency-Key`. Each item counts for 24 hours, an order at most until it is paid. Repeat the request later.',
  },
})

const RETRY_SECONDS = 10

/** Returns the problem that a client receives if bytes cannot be stored or read. The cause is only logged. */
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
