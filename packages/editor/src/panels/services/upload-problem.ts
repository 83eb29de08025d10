import type { EditorMessage } from '../../messages.ts'

/** Why a file was not uploaded, in words for the customer. */
export interface UploadProblem {
  message: EditorMessage
  /** The service's own words, for problems that have no message here. */
  detail?: string
  usedBytes?: number
  quotaBytes?: number
  /** Whether the same file may be accepted later. */
  canRetry: boolean
}

/** The problems that another attempt with the same file does not solve. */
const FILE_PROBLEMS: Readonly<Record<string, EditorMessage>> = {
  asset_type_unsupported: 'uploadTypeUnsupported',
  asset_unreadable: 'uploadUnreadable',
  asset_too_large: 'uploadTooManyPixels',
  body_too_large: 'uploadTooLarge',
  font_type_unsupported: 'fontTypeUnsupported',
  font_unreadable: 'fontUnreadable',
  font_too_large: 'fontTooLarge',
  font_too_complex: 'fontTooLarge',
  font_embedding_not_allowed: 'fontNotAllowed',
  font_subsetting_not_allowed: 'fontNotAllowed',
  font_outline_embedding_not_allowed: 'fontNotAllowed',
  too_many_fonts: 'tooManyFonts',
}

/** The members of an error of the client. Other errors have none of them. */
interface ErrorMembers {
  code?: unknown
  status?: unknown
  detail?: unknown
  used?: unknown
  quota?: unknown
}

export function uploadProblemOf(error: unknown): UploadProblem {
  const { code, status, detail, used, quota }: ErrorMembers = typeof error === 'object' && error !== null ? error : {}
  if (code === 'connection_failed' || code === 'timeout') return { message: 'uploadOffline', canRetry: true }
  if (typeof code !== 'string' || typeof status !== 'number') return { message: 'uploadFailed', canRetry: true }
  if (code === 'storage_quota_exceeded') {
    return { message: 'uploadQuota', usedBytes: Number(used), quotaBytes: Number(quota), canRetry: true }
  }
  const message = Object.hasOwn(FILE_PROBLEMS, code) ? FILE_PROBLEMS[code] : undefined
  if (message !== undefined) return { message, canRetry: false }
  if (status === 413) return { message: 'uploadTooLarge', canRetry: false }
  if (status === 401) return { message: 'uploadSignedOut', canRetry: true }
  if (status === 429 || status >= 500) return { message: 'uploadBusy', canRetry: true }
  return { message: 'uploadRefused', detail: String(detail ?? ''), canRetry: false }
}
