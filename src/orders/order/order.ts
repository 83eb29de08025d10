import type { FinalizationFile } from '../../designs/index.ts'
import type { Amounts } from './money.ts'
import type { PostalAddress } from './postal-address.ts'
import type {
  HeldStatus,
  HoldResolution,
  ItemFilesFailure,
  ItemFilesStatus,
  OrderStatus,
  PaymentStatus,
  RefundStatus,
  ShipmentStatus,
} from './state.ts'

/** The print files of an item with texts of its own. */
export interface Personalization {
  status: ItemFilesStatus
  /** Null until the files are ready. */
  contentHash: string | null
  files: FinalizationFile[] | null
  failure: ItemFilesFailure | null
}

/** A price of one piece that an operator agreed on with the customer, beside the price that it replaces. */
export interface AgreedPrice {
  listUnitAmount: number
  reason: string
}

/** What was ordered, as it was when the order was created. Earlier versions recorded no names. */
export interface ItemSnapshot {
  productId?: string | null
  productName?: string | null
  sku?: string | null
  options?: Record<string, string> | null
  designName?: string | null
  /** The preview of the first print area. */
  previewFileId?: string | null
  agreedPrice?: AgreedPrice
}

export interface OrderItem {
  id: string
  designId: string
  finalizationId: string
  /**
   * Number of the price lock that gave the item its price. A finalization has one more price lock after each renewal.
   */
  priceLock: number
  variantId: string
  quantity: number
  data: Record<string, string> | null
  unitAmount: number
  totalAmount: number
  snapshot: ItemSnapshot | null
  /** Null for an item without texts of its own. */
  personalization: Personalization | null
}

export interface OrderRefund {
  id: string
  status: RefundStatus
  amount: number
  reason: string | null
  createdAt: Date
}

export interface OrderPayment {
  id: string
  status: PaymentStatus
  method: string | null
  reference: string | null
  amount: number
  capturedAmount: number
  refundedAmount: number
  capturedAt: Date | null
  refunds: OrderRefund[]
}

export interface OrderShipment {
  id: string
  status: ShipmentStatus
  carrier: string
  trackingNumber: string | null
  trackingUrl: string | null
  items: { itemId: string; quantity: number }[]
  createdAt: Date
  /** When the parcel was handed to the carrier. */
  shippedAt: Date
  deliveredAt: Date | null
  returnedAt: Date | null
}

export type Actor = 'customer' | 'operator' | 'system'

/** The user who acts, for the timeline. `userId` is null for the command line and for jobs. */
export interface ActingUser {
  by: Actor
  userId: string | null
  /** The API key with which the user acts. */
  keyId?: string | null
}

export interface RecordedActor {
  /** The user who acted. Null for the service itself and the command line. */
  actorId: string | null
  /** The API key with which the user acted. */
  actorKeyId: string | null
}

export interface TimelineEntry extends RecordedActor {
  type: string
  at: Date
  by: Actor
  reason: string | null
}

/** An internal note of the shop. Customers never see it. */
export interface OrderNote extends RecordedActor {
  id: string
  text: string
  createdAt: Date
}

export interface OrderHold {
  reason: string
  since: Date
  resolution: HoldResolution
  answeredAt: Date | null
}

export interface Order {
  id: string
  number: string
  ownerId: string
  status: OrderStatus
  /** Status to which a release returns. Null unless the order is on hold. */
  heldStatus: HeldStatus | null
  hold: OrderHold | null
  items: OrderItem[]
  shippingAddress: PostalAddress
  shippingMethod: string
  amounts: Amounts
  payment: OrderPayment
  shipments: OrderShipment[]
  timeline: TimelineEntry[]
  notes: OrderNote[]
  metadata: Record<string, string | number | boolean>
  externalReference: string | null
  /** Increases with every change of the order. */
  revision: number
  /** Latest estimated time of delivery. Null until the order is paid. */
  dueAt: Date | null
  createdAt: Date
  updatedAt: Date
}
