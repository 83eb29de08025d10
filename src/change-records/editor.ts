import { principalOf } from '../platform/http/core/principal.ts'
import type { HttpRequest } from '../platform/http/core/request.ts'

/** The administrator who changes the catalogue or a setting. */
export interface Editor {
  userId: string
  /** The API key with which the request was made. */
  keyId: string | null
}

export function editorOf(request: HttpRequest): Editor {
  const { kind, userId, credentialId } = principalOf(request)
  return { userId, keyId: kind === 'api_key' ? credentialId : null }
}
