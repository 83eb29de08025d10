import { principalOf } from '../platform/http/core/principal.ts'
import type { HttpRequest } from '../platform/http/core/request.ts'

/** The administrator who changes a product. */
export interface Editor {
  /** Images may name assets of this account, besides those of the shop. */
  userId: string
  /** The API key with which the request was made. */
  keyId: string | null
}

export function editorOf(request: HttpRequest): Editor {
  const { kind, userId, credentialId } = principalOf(request)
  return { userId, keyId: kind === 'api_key' ? credentialId : null }
}
