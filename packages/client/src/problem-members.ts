import type {
  MailText,
  Money,
  Order,
  PreflightIssue,
  ProblemDetail,
  Product,
  Role,
  ShopSettings,
} from './generated/types.ts'

/** What problems of a code state besides the members of every problem. */
export interface ProblemMembers {
  /** Every order at fault, and the open batch that has it. */
  batch_orders_refused: {
    errors: (ProblemDetail & {
      orderId: string
      orderNumber: string | null
      orderStatus?: Order['status']
      batchId?: string
      batchName?: string | null
    })[]
  }
  customer_exists: { customerId?: string }
  design_not_draft: { designStatus: string }
  /** `oldestEventId` is the oldest event that can still be read. */
  event_expired: { oldestEventId: string | null }
  /** `id` is the record that has the reference. */
  external_reference_taken: { id: string }
  insufficient_role: { requiredRole: Role }
  insufficient_scope: { permission: string }
  item_files_not_ready: { personalizationStatus: 'pending' | 'failed' }
  login_blocked: { block: 'temporary' | 'extended' }
  order_action_refused: { orderStatus: Order['status']; shipmentStatus?: string }
  /** `reason` is why the provider declined the charge, such as `insufficient_funds`. */
  payment_declined: { reason: string }
  /** `order` is the present order, if an action on an order was refused; the others likewise. */
  precondition_failed: { order?: Order; product?: Product; shopSettings?: ShopSettings; mailText?: MailText }
  /** Every error of the preflight report, or of the texts of order items, whose layers are named. */
  preflight_failed: { errors: (Partial<PreflightIssue> & ProblemDetail & { layer?: string })[] }
  /** In bytes. A PDF has a limit of pages, too. */
  print_files_too_large: { bytes: number; maxBytes: number; pages?: number; maxPages?: number }
  /** Every order at fault. Without `itemIds`, the whole order is. */
  print_files_unavailable: {
    errors: (ProblemDetail & { orderId: string; orderNumber: string | null; itemIds: string[] })[]
  }
  quote_used: { orderId: string }
  /** `failure` is why the provider refused the refund. */
  refund_refused: { failure?: string }
  refund_too_large: { refundable: Money }
  /** When every client has the next key. */
  signing_keys_too_young: { readyAt: string }
  /** `maxAge` is the number of seconds for which an authentication counts as recent. */
  step_up_required: { maxAge: number }
  /** In bytes. */
  storage_quota_exceeded: { used: number; quota: number }
  /** The present amount and the limit, of fonts or of bytes. */
  too_many_fonts: { families?: number; limit?: number; bytes?: number; usedBytes?: number; limitBytes?: number }
}
