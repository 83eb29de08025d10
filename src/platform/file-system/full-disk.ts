/** Codes of a system call, and the SQLSTATE of PostgreSQL, for a disk without free space or an exhausted quota. */
const CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', '53100']

/** Matches what the system, Node and PostgreSQL write about a full disk. */
const MESSAGE = /no space left on device|disk quota exceeded/i

/** Tells whether an error means a full disk. Such an error says nothing about the files that were read. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.includes(error.code)
}

/** Tells whether messages of a program report a full disk. */
export function reportsFullDisk(messages: string): boolean {
  return MESSAGE.test(messages)
}
