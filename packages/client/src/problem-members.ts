import type { Money, PreflightIssue, ProblemDetail, Role } from './generated/types.ts'

/** What problems of a code state besides the members of every problem. */
export interface ProblemMembers {
  /** Every error of the preflight report. */
  preflight_failed: { errors: (PreflightIssue & ProblemDetail)[] }
  customer_exists: { customerId: string }
  external_reference_taken: { id: string }
  /** Seconds for which an authentication counts as recent. */
  step_up_required: { maxAge: number }
  insufficient_role: { requiredRole: Role }
  insufficient_scope: { permission: string }
  login_blocked: { block: 'temporary' | 'extended' }
  /** In bytes. */
  storage_quota_exceeded: { used: number; quota: number }
  design_not_draft: { designStatus: string }
  event_expired: { oldestEventId: string | null }
  refund_refused: { refundable?: Money }
}
