import type { ProblemCode } from '@platen/client'
import type { EditorMessage } from '../messages.ts'
import type { SaveBehaviour } from './saving-types.ts'

export interface ProblemRule {
  behaviour: SaveBehaviour
  message: EditorMessage
}

/** Codes that are not problems of a whole response: those of the client, of members of `errors`, and of preflight. */
type PartCode =
  | 'connection_failed'
  | 'timeout'
  | 'unexpected_response'
  | 'layer_locked'
  | 'too_many_layers'
  | 'too_much_text'
  | 'too_much_path_data'
  | 'too_many_dashes'

const OFFLINE: ProblemRule = { behaviour: 'retry', message: 'saveOffline' }
const BUSY: ProblemRule = { behaviour: 'retry', message: 'saveBusy' }
const SIGNED_OUT: ProblemRule = { behaviour: 'sign_in', message: 'saveSignedOut' }
const NOT_ALLOWED: ProblemRule = { behaviour: 'stop', message: 'saveNotAllowed' }
const GONE: ProblemRule = { behaviour: 'stop', message: 'saveDesignGone' }
const INVALID: ProblemRule = { behaviour: 'change', message: 'saveInvalid' }
const TOO_COMPLEX: ProblemRule = { behaviour: 'change', message: 'saveTooLarge' }

/** What follows after an error of a save, and the text for the customer. Nothing else in the code names these codes. */
const RULES: Readonly<Partial<Record<ProblemCode | PartCode, ProblemRule>>> = {
  connection_failed: OFFLINE,
  timeout: OFFLINE,
  unexpected_response: OFFLINE,
  rate_limited: BUSY,
  service_unavailable: BUSY,
  renderer_busy: BUSY,
  storage_unavailable: BUSY,
  request_timeout: OFFLINE,
  design_finalizing: { behaviour: 'retry', message: 'saveFinalizing' },
  authentication_required: SIGNED_OUT,
  credential_not_accepted: SIGNED_OUT,
  invalid_refresh_token: SIGNED_OUT,
  session_required: SIGNED_OUT,
  insufficient_scope: NOT_ALLOWED,
  insufficient_role: NOT_ALLOWED,
  customer_has_account: NOT_ALLOWED,
  design_not_found: GONE,
  customer_unknown: GONE,
  design_not_draft: { behaviour: 'stop', message: 'saveFinalized' },
  design_archived: { behaviour: 'stop', message: 'saveArchived' },
  variant_not_found: { behaviour: 'change', message: 'saveVariantGone' },
  storage_quota_exceeded: { behaviour: 'change', message: 'saveQuota' },
  body_too_large: TOO_COMPLEX,
  too_many_layers: { behaviour: 'change', message: 'saveTooManyLayers' },
  too_much_text: { behaviour: 'change', message: 'saveTooMuchText' },
  too_much_path_data: TOO_COMPLEX,
  too_many_dashes: TOO_COMPLEX,
  too_many_fonts: { behaviour: 'change', message: 'saveTooManyFonts' },
  text_too_complex: { behaviour: 'change', message: 'saveTextTooComplex' },
  layer_locked: { behaviour: 'change', message: 'saveLayerLocked' },
  document_invalid: INVALID,
  validation_failed: INVALID,
}

/** For codes without a rule, such as those of a later release. The first row whose statuses contain it applies. */
const STATUS_RULES: readonly [from: number, to: number, rule: ProblemRule][] = [
  [401, 401, SIGNED_OUT],
  [403, 403, NOT_ALLOWED],
  [404, 404, GONE],
  [408, 408, OFFLINE],
  [409, 409, { behaviour: 'stop', message: 'saveNotEditable' }],
  [413, 413, TOO_COMPLEX],
  [429, 429, BUSY],
  [400, 499, INVALID],
]

export function findRule(code: unknown): ProblemRule | undefined {
  return typeof code === 'string' && Object.hasOwn(RULES, code) ? RULES[code as ProblemCode] : undefined
}

/** Returns the rule of an error. Errors without a status are those of a connection, or of a function of the page. */
export function ruleOf(code: string, status: number | undefined): ProblemRule {
  // A proxy can refuse a body for its size. Its other responses say nothing about the design.
  const rule = code === 'unexpected_response' && status === 413 ? TOO_COMPLEX : findRule(code)
  return rule ?? STATUS_RULES.find(([from, to]) => status !== undefined && from <= status && status <= to)?.[2] ?? BUSY
}

/** A draft of an archived product can be saved, but not finalized. */
export const PRODUCT_UNAVAILABLE = { code: 'product_unavailable', message: 'saveProductUnavailable' } as const
