export const ORDER_STATUSES = [
  'awaiting_payment',
  'confirmed',
  'in_production',
  'partially_shipped',
  'shipped',
  'delivered',
  'on_hold',
  'cancelled',
] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Statuses from which an order can be put on hold. A release returns it to the status in which it was held. */
export const HELD_STATUSES = ['confirmed', 'in_production'] as const
export type HeldStatus = (typeof HELD_STATUSES)[number]

export type OrderEvent =
  | 'confirm'
  | 'cancel'
  | 'hold'
  | 'release'
  | 'start_production'
  | 'ship_part'
  | 'ship_rest'
  | 'deliver'

/**
 * Transitions of an order: the row is its status, the column an event, the cell the status that the event leads to. An
 * event without a cell is refused. No other code defines a transition.
 */
export const ORDER_TRANSITIONS: Readonly<
  Record<OrderStatus, Partial<Record<OrderEvent, OrderStatus | 'where_it_was_held'>>>
> = {
  awaiting_payment: { confirm: 'confirmed', cancel: 'cancelled' },
  confirmed: { start_production: 'in_production', hold: 'on_hold', cancel: 'cancelled' },
  in_production: { ship_part: 'partially_shipped', ship_rest: 'shipped', hold: 'on_hold' },
  partially_shipped: { ship_part: 'partially_shipped', ship_rest: 'shipped' },
  shipped: { deliver: 'delivered' },
  delivered: {},
  on_hold: { release: 'where_it_was_held' },
  cancelled: {},
}

export const PAYMENT_STATUSES = [
  'pending',
  'authorized',
  'captured',
  'partially_refunded',
  'refunded',
  'failed',
] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]
export type PaymentEvent = 'authorize' | 'capture' | 'fail' | 'retry' | 'refund_part' | 'refund_rest'

export const PAYMENT_TRANSITIONS: Readonly<Record<PaymentStatus, Partial<Record<PaymentEvent, PaymentStatus>>>> = {
  pending: { authorize: 'authorized', fail: 'failed' },
  // `fail` means that the authorization expired or that the provider declined the capture.
  authorized: { capture: 'captured', fail: 'failed' },
  captured: { refund_part: 'partially_refunded', refund_rest: 'refunded' },
  partially_refunded: { refund_part: 'partially_refunded', refund_rest: 'refunded' },
  refunded: {},
  failed: { retry: 'pending' },
}

/** The amount of a `pending` refund is reserved, so that no other refund can use it. */
export type RefundStatus = 'pending' | 'succeeded' | 'failed'

export const SHIPMENT_STATUSES = ['shipped', 'delivered', 'returned'] as const
export type ShipmentStatus = (typeof SHIPMENT_STATUSES)[number]
export type ShipmentEvent = 'deliver' | 'return'

export const SHIPMENT_TRANSITIONS: Readonly<Record<ShipmentStatus, Partial<Record<ShipmentEvent, ShipmentStatus>>>> = {
  shipped: { deliver: 'delivered', return: 'returned' },
  delivered: { return: 'returned' },
  returned: {},
}

export const ITEM_FILES_STATUSES = ['pending', 'ready', 'failed'] as const
export type ItemFilesStatus = (typeof ITEM_FILES_STATUSES)[number]

/** `fail` means that rendering failed permanently or that the order was cancelled. */
export type ItemFilesEvent = 'finish' | 'fail' | 'retry'

/**
 * Transitions of the print files of an item, in the form of `ORDER_TRANSITIONS`. A retry of pending files changes
 * nothing.
 */
export const ITEM_FILES_TRANSITIONS: Readonly<
  Record<ItemFilesStatus, Partial<Record<ItemFilesEvent, ItemFilesStatus>>>
> = {
  pending: { finish: 'ready', fail: 'failed', retry: 'pending' },
  ready: {},
  failed: { retry: 'pending' },
}

/** Reasons why files could not be rendered: the key is the stored code, the value is the text for clients. */
export const ITEM_FILES_FAILURES = {
  drawing_failed: 'The files could not be rendered.',
  drawing_timed_out: 'Rendering exceeded its time limit.',
  drawing_out_of_memory: 'Rendering needed more memory than one design may use.',
  order_cancelled: 'The order was cancelled before its files were rendered.',
} as const
export type ItemFilesFailure = keyof typeof ITEM_FILES_FAILURES

/** What the customer can do about a hold. */
export const HOLD_RESOLUTIONS = ['address', 'confirmation', 'answer', 'none'] as const
export type HoldResolution = (typeof HOLD_RESOLUTIONS)[number]

/** Used if a hold is created without a `resolution`: the customer can reply, and the shop decides. */
export const DEFAULT_HOLD_RESOLUTION: HoldResolution = 'answer'

/** What a reply to a hold may contain, and whether the reply releases the order without a decision of the shop. */
export interface HoldRule {
  shippingAddress: 'required' | 'possible' | 'refused'
  continues: boolean
}

/** Null means that the customer cannot reply. */
export const HOLD_RULES: Readonly<Record<HoldResolution, HoldRule | null>> = {
  address: { shippingAddress: 'required', continues: true },
  confirmation: { shippingAddress: 'refused', continues: true },
  answer: { shippingAddress: 'possible', continues: false },
  none: null,
}

/** Permissions of accounts that actions need. */
export type ActionPermission = 'orders:write' | 'payments:write' | 'production:write' | 'shipping:write'

/**
 * Actions of users: the state machine, the event that the action applies to it, the role that may act, and the
 * permission that its account needs.
 */
export const ORDER_ACTIONS = {
  pay: { machine: 'order', event: 'confirm', by: 'customer', needs: 'orders:write' },
  cancel: { machine: 'order', event: 'cancel', by: 'anyone', needs: 'orders:write' },
  resolve_hold: { machine: 'order', event: 'release', by: 'customer', needs: 'orders:write' },
  record_payment: { machine: 'order', event: 'confirm', by: 'operator', needs: 'payments:write' },
  hold: { machine: 'order', event: 'hold', by: 'operator', needs: 'production:write' },
  release: { machine: 'order', event: 'release', by: 'operator', needs: 'production:write' },
  start_production: { machine: 'order', event: 'start_production', by: 'operator', needs: 'production:write' },
  ship: { machine: 'order', event: 'ship_rest', by: 'operator', needs: 'shipping:write' },
  deliver: { machine: 'shipment', event: 'deliver', by: 'operator', needs: 'shipping:write' },
  return: { machine: 'shipment', event: 'return', by: 'operator', needs: 'shipping:write' },
  retry_files: { machine: 'item_files', event: 'retry', by: 'operator', needs: 'production:write' },
  refund: { machine: 'payment', event: 'refund_rest', by: 'operator', needs: 'payments:write' },
} as const satisfies Record<
  string,
  (
    | { machine: 'order'; event: OrderEvent }
    | { machine: 'payment'; event: PaymentEvent }
    | { machine: 'shipment'; event: ShipmentEvent }
    | { machine: 'item_files'; event: ItemFilesEvent }
  ) & { by: 'customer' | 'operator' | 'anyone'; needs: ActionPermission }
>
export type OrderAction = keyof typeof ORDER_ACTIONS
export const ORDER_ACTION_NAMES = Object.keys(ORDER_ACTIONS) as OrderAction[]

export interface OrderState {
  status: OrderStatus
  /** Null unless the order is on hold. */
  heldStatus: HeldStatus | null
  hold: { resolution: HoldResolution; answeredAt: Date | null } | null
  payment: PaymentState
  items: readonly ItemState[]
  shipments: readonly { status: ShipmentStatus }[]
}

export interface PaymentState {
  status: PaymentStatus
  capturedAmount: number
  refundedAmount: number
  refunds: readonly { status: RefundStatus; amount: number }[]
}

export interface ItemState {
  data: Readonly<Record<string, string>> | null
  personalization: { status: ItemFilesStatus } | null
}

/** Returns the status that an event leads to, or undefined if the event is refused. */
export function nextOrderStatus(
  order: Pick<OrderState, 'status' | 'heldStatus'>,
  event: OrderEvent,
): OrderStatus | undefined {
  const target = ORDER_TRANSITIONS[order.status][event]
  return target === 'where_it_was_held' ? (order.heldStatus ?? undefined) : target
}

/** Returns the status that a series of events leads to, or undefined if one of them is refused. */
export function nextPaymentStatus(status: PaymentStatus, ...events: PaymentEvent[]): PaymentStatus | undefined {
  return events.reduce<PaymentStatus | undefined>(
    (reached, event) => reached && PAYMENT_TRANSITIONS[reached][event],
    status,
  )
}

export function nextItemFilesStatus(
  { personalization }: Pick<ItemState, 'personalization'>,
  event: ItemFilesEvent,
): ItemFilesStatus | undefined {
  return personalization === null ? undefined : ITEM_FILES_TRANSITIONS[personalization.status][event]
}

/**
 * Whether an item with texts has no print files of its own, because an older version of the service created the order.
 */
export function lacksItemFiles({ data, personalization }: ItemState): boolean {
  return personalization === null && Object.keys(data ?? {}).length > 0
}

/** Returns the captured amount that is neither refunded nor reserved for a refund. */
export function refundable({ payment }: Pick<OrderState, 'payment'>): number {
  const promised = payment.refunds.filter(({ status }) => status === 'pending')
  return promised.reduce((left, { amount }) => left - amount, payment.capturedAmount - payment.refundedAmount)
}

const MACHINES = {
  order: ORDER_TRANSITIONS,
  payment: PAYMENT_TRANSITIONS,
  shipment: SHIPMENT_TRANSITIONS,
  item_files: ITEM_FILES_TRANSITIONS,
}

/**
 * Lists for each action the states that allow it. Computed once, because every order in every response lists its
 * actions.
 */
const ALLOWED_IN: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(ORDER_ACTIONS).map(([action, { machine, event }]) => {
    const table = MACHINES[machine]
    return [action, Object.entries<object>(table).flatMap(([name, row]) => (event in row ? [name] : []))]
  }),
)

/** Returns the reason why the state of an order does not allow an action, or undefined if it does. */
export function refusalOf(order: OrderState, action: OrderAction): string | undefined {
  const { machine } = ORDER_ACTIONS[action]
  if (machine === 'shipment') return shipmentRefusal(order, ALLOWED_IN.get(action) ?? [])
  if (machine === 'item_files') return filesRefusal(order)
  const status = machine === 'order' ? order.status : order.payment.status
  const allowing = ALLOWED_IN.get(action) ?? []
  if (allowing.includes(status)) return EXTRA_REFUSALS[action]?.(order)
  return `The ${machine} is ${status}. This action is possible only while it is ${allowing.join(' or ')}.`
}

/** An action on a shipment is allowed if at least one shipment of the order allows it. */
function shipmentRefusal({ shipments }: OrderState, allowing: readonly string[]): string | undefined {
  if (shipments.some(({ status }) => allowing.includes(status))) return undefined
  return `No shipment of the order is ${allowing.join(' or ')}.`
}

/**
 * Decides about `retry_files`. The transition table also allows a retry of pending files, which changes nothing, so it
 * is not offered.
 */
function filesRefusal({ status, items }: OrderState): string | undefined {
  if (hasEnded(status)) return `The order is ${status}.`
  const isRetriable = (item: ItemState) => lacksItemFiles(item) || item.personalization?.status === 'failed'
  return items.some(isRetriable) ? undefined : 'No item has failed print files.'
}

/** Conditions of actions beyond the status. Each function returns the reason why the action is not allowed. */
const EXTRA_REFUSALS: Partial<Record<OrderAction, (order: OrderState) => string | undefined>> = {
  start_production: missingFilesRefusal,
  resolve_hold: holdRefusal,
  refund: (order) => (refundable(order) > 0 ? undefined : 'Refunds already cover the whole captured amount.'),
}

function holdRefusal({ hold }: OrderState): string | undefined {
  if (hold === null || HOLD_RULES[hold.resolution] === null) return 'Only the shop can resolve this hold.'
  return hold.answeredAt === null
    ? undefined
    : 'The customer has replied already. The shop decides how the order continues.'
}

/** The print file of the design contains the names of the placeholders, so an item with texts needs its own. */
function missingFilesRefusal({ items }: OrderState): string | undefined {
  if (items.some(lacksItemFiles)) return 'An item has no print files. An operator must retry them with `retry_files`.'
  const statuses = items.map(({ personalization }) => personalization?.status)
  if (statuses.includes('failed'))
    return 'Print files of an item have failed. An operator must retry them with `retry_files`.'
  return statuses.includes('pending') ? 'Print files of an item are still being rendered.' : undefined
}

/** Whether no event can change an order in this status. */
export function hasEnded(status: OrderStatus): boolean {
  return Object.keys(ORDER_TRANSITIONS[status]).length === 0
}

export interface AvailableAction {
  action: OrderAction
  allowed: boolean
  reason?: string
}

export interface ActionViewer {
  operator: boolean
  owner?: boolean
  may?: ((permission: ActionPermission) => boolean) | undefined
  onlinePayment: boolean
}

/**
 * Lists the actions of the viewer's role, and whether each is possible now.
 *
 * @param may whether the viewer's account has a permission; by default it has all
 * @param owner for an operator: whether the order is their own
 * @param onlinePayment whether customers can pay through a provider
 */
export function availableActions(
  order: OrderState,
  { operator, owner = false, may = () => true, onlinePayment }: ActionViewer,
): AvailableAction[] {
  const parts: readonly string[] = [
    'anyone',
    ...(operator ? ['operator'] : []),
    ...(operator && !owner ? [] : ['customer']),
  ]
  const own = ORDER_ACTION_NAMES.filter((action) => {
    const { by, needs } = ORDER_ACTIONS[action]
    return parts.includes(by) && may(needs)
  })
  return own.map((action) => {
    const reason = refusalOf(order, action) ?? (action === 'pay' && !onlinePayment ? PAYMENT_BY_ARRANGEMENT : undefined)
    return reason === undefined ? { action, allowed: true } : { action, allowed: false, reason }
  })
}

export const PAYMENT_BY_ARRANGEMENT =
  'Online payment is not available. Arrange the payment with the shop, which records it.'
