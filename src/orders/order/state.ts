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

/** Where an order can be held, and therefore where a release leads back to. */
export type HeldStatus = 'confirmed' | 'in_production'

export type OrderEvent =
  | 'confirm'
  | 'cancel'
  | 'hold'
  | 'release'
  | 'start_production'
  | 'ship_part'
  | 'ship_rest'
  | 'deliver'

/** Rows are states, cells say where an event leads, a missing cell means the event is refused. Nothing else names a transition. */
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
  // The authorization lapsed, or the capture was declined.
  authorized: { capture: 'captured', fail: 'failed' },
  captured: { refund_part: 'partially_refunded', refund_rest: 'refunded' },
  partially_refunded: { refund_part: 'partially_refunded', refund_rest: 'refunded' },
  refunded: {},
  failed: { retry: 'pending' },
}

/** Money on its way back is `pending`: promised, and not to be promised again. */
export type RefundStatus = 'pending' | 'succeeded' | 'failed'

export const SHIPMENT_STATUSES = ['shipped', 'delivered', 'returned'] as const
export type ShipmentStatus = (typeof SHIPMENT_STATUSES)[number]
export type ShipmentEvent = 'deliver' | 'return'

export const SHIPMENT_TRANSITIONS: Readonly<Record<ShipmentStatus, Partial<Record<ShipmentEvent, ShipmentStatus>>>> = {
  shipped: { deliver: 'delivered', return: 'returned' },
  delivered: { return: 'returned' },
  returned: {},
}

/** Whether the print files of an item with texts of its own are there. */
export const ITEM_FILES_STATUSES = ['pending', 'ready', 'failed'] as const
export type ItemFilesStatus = (typeof ITEM_FILES_STATUSES)[number]

/** `fail`: drawing failed for good, or nobody needs the files any more. */
export type ItemFilesEvent = 'finish' | 'fail' | 'retry'

/** Rows are states, cells say where an event leads, a missing cell means the event is refused. Asking twice is asking once. */
export const ITEM_FILES_TRANSITIONS: Readonly<
  Record<ItemFilesStatus, Partial<Record<ItemFilesEvent, ItemFilesStatus>>>
> = {
  pending: { finish: 'ready', fail: 'failed', retry: 'pending' },
  ready: {},
  failed: { retry: 'pending' },
}

/** What the customer can do about a hold. */
export const HOLD_RESOLUTIONS = ['address', 'confirmation', 'answer', 'none'] as const
export type HoldResolution = (typeof HOLD_RESOLUTIONS)[number]

/** A shop that says no more than why it holds an order hears what the customer says to that, and decides itself. */
export const DEFAULT_HOLD_RESOLUTION: HoldResolution = 'answer'

/** How a hold is resolved: whether a new address belongs to it, and whether the order then goes on without the shop. */
export interface HoldRule {
  shippingAddress: 'required' | 'possible' | 'refused'
  continues: boolean
}

/** Null: the customer can do nothing. */
export const HOLD_RULES: Readonly<Record<HoldResolution, HoldRule | null>> = {
  address: { shippingAddress: 'required', continues: true },
  confirmation: { shippingAddress: 'refused', continues: true },
  answer: { shippingAddress: 'possible', continues: false },
  none: null,
}

/** What people can do to an order: who may, and which event of which machine it needs. */
export const ORDER_ACTIONS = {
  pay: { machine: 'order', event: 'confirm', by: 'customer' },
  cancel: { machine: 'order', event: 'cancel', by: 'anyone' },
  resolve_hold: { machine: 'order', event: 'release', by: 'customer' },
  record_payment: { machine: 'order', event: 'confirm', by: 'operator' },
  hold: { machine: 'order', event: 'hold', by: 'operator' },
  release: { machine: 'order', event: 'release', by: 'operator' },
  start_production: { machine: 'order', event: 'start_production', by: 'operator' },
  ship: { machine: 'order', event: 'ship_rest', by: 'operator' },
  deliver: { machine: 'shipment', event: 'deliver', by: 'operator' },
  return: { machine: 'shipment', event: 'return', by: 'operator' },
  retry_files: { machine: 'item_files', event: 'retry', by: 'operator' },
  refund: { machine: 'payment', event: 'refund_rest', by: 'operator' },
} as const satisfies Record<
  string,
  (
    | { machine: 'order'; event: OrderEvent }
    | { machine: 'payment'; event: PaymentEvent }
    | { machine: 'shipment'; event: ShipmentEvent }
    | { machine: 'item_files'; event: ItemFilesEvent }
  ) & { by: 'customer' | 'operator' | 'anyone' }
>
export type OrderAction = keyof typeof ORDER_ACTIONS
export const ORDER_ACTION_NAMES = Object.keys(ORDER_ACTIONS) as OrderAction[]

/** As much of an order as decides what can be done to it. */
export interface OrderState {
  status: OrderStatus
  /** Set exactly while the order is on hold. */
  heldStatus: HeldStatus | null
  /** The same. */
  hold: { resolution: HoldResolution; answeredAt: Date | null } | null
  payment: PaymentState
  items: readonly ItemState[]
  shipments: readonly { status: ShipmentStatus }[]
}

export interface PaymentState {
  status: PaymentStatus
  /** In minor units, as all amounts. */
  capturedAmount: number
  refundedAmount: number
  refunds: readonly { status: RefundStatus; amount: number }[]
}

/** As much of an item as decides whether it can be made. */
export interface ItemState {
  data: Readonly<Record<string, string>> | null
  personalization: { status: ItemFilesStatus } | null
}

/** Where an event leads, or undefined where it is refused. */
export function nextOrderStatus(order: OrderState, event: OrderEvent): OrderStatus | undefined {
  const target = ORDER_TRANSITIONS[order.status][event]
  return target === 'where_it_was_held' ? (order.heldStatus ?? undefined) : target
}

/** Where a series of events leads, or undefined where one of them is refused. */
export function nextPaymentStatus(status: PaymentStatus, ...events: PaymentEvent[]): PaymentStatus | undefined {
  return events.reduce<PaymentStatus | undefined>(
    (reached, event) => reached && PAYMENT_TRANSITIONS[reached][event],
    status,
  )
}

/** Where an event leads the files of an item, or undefined where it is refused. */
export function nextItemFilesStatus(
  { personalization }: ItemState,
  event: ItemFilesEvent,
): ItemFilesStatus | undefined {
  return personalization === null ? undefined : ITEM_FILES_TRANSITIONS[personalization.status][event]
}

/** Whether an item fills placeholders and has no files of its own: a process of an older version took the order. */
export function lacksItemFiles({ data, personalization }: ItemState): boolean {
  return personalization === null && Object.keys(data ?? {}).length > 0
}

/** What was paid, not given back, and not promised to be, in minor units. */
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

/** The states that allow an action, worked out once: every order in every list says what can be done to it. */
const ALLOWED_IN: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(ORDER_ACTIONS).map(([action, { machine, event }]) => {
    const table = MACHINES[machine]
    return [action, Object.entries<object>(table).flatMap(([name, row]) => (event in row ? [name] : []))]
  }),
)

/** Why an action is refused in the order's state, as a sentence; undefined where it is allowed. */
export function refusalOf(order: OrderState, action: OrderAction): string | undefined {
  const { machine } = ORDER_ACTIONS[action]
  if (machine === 'shipment') return shipmentRefusal(order, ALLOWED_IN.get(action) ?? [])
  if (machine === 'item_files') return filesRefusal(order)
  const status = machine === 'order' ? order.status : order.payment.status
  const allowing = ALLOWED_IN.get(action) ?? []
  if (allowing.includes(status)) return EXTRA_REFUSALS[action]?.(order)
  return `The ${machine} is ${status}; this is possible only while it is ${allowing.join(' or ')}.`
}

/** Of an action on one shipment: whether some shipment of the order allows it. */
function shipmentRefusal({ shipments }: OrderState, allowing: readonly string[]): string | undefined {
  if (shipments.some(({ status }) => allowing.includes(status))) return undefined
  return `No shipment of the order is ${allowing.join(' or ')}.`
}

/** Drawing the files of an item again would be allowed while they are pending, but changes nothing. */
function filesRefusal({ status, items }: OrderState): string | undefined {
  if (hasEnded(status)) return `The order is ${status}.`
  const isRetriable = (item: ItemState) => lacksItemFiles(item) || item.personalization?.status === 'failed'
  return items.some(isRetriable) ? undefined : 'The print files of no item have failed.'
}

/** Of actions for which the status alone does not decide. */
const EXTRA_REFUSALS: Partial<Record<OrderAction, (order: OrderState) => string | undefined>> = {
  start_production: missingFilesRefusal,
  resolve_hold: holdRefusal,
  refund: (order) => (refundable(order) > 0 ? undefined : 'All that was paid is being refunded already.'),
}

function holdRefusal({ hold }: OrderState): string | undefined {
  if (hold === null || HOLD_RULES[hold.resolution] === null) return 'The shop resolves this hold itself.'
  return hold.answeredAt === null ? undefined : 'This was answered; the shop goes on with the order.'
}

/** Nobody may make an item without its own print file: the other one says `{{name}}`. */
function missingFilesRefusal({ items }: OrderState): string | undefined {
  if (items.some(lacksItemFiles)) return 'The print files of an item were never drawn; have them drawn.'
  const statuses = items.map(({ personalization }) => personalization?.status)
  if (statuses.includes('failed')) return 'The print files of an item could not be drawn; have them drawn once more.'
  return statuses.includes('pending') ? 'The print files of an item are still being drawn.' : undefined
}

/** Whether nothing more happens to an order in this state. */
export function hasEnded(status: OrderStatus): boolean {
  return Object.keys(ORDER_TRANSITIONS[status]).length === 0
}

export interface AvailableAction {
  action: OrderAction
  allowed: boolean
  reason?: string
}

/**
 * What the viewer could ever do to an order, and whether it is possible now.
 *
 * @param owner of an operator: whether the order is their own
 * @param onlinePayment whether customers can pay through a provider here
 */
export function availableActions(
  order: OrderState,
  { operator, owner = false, onlinePayment }: { operator: boolean; owner?: boolean; onlinePayment: boolean },
): AvailableAction[] {
  const parts: readonly string[] = [
    'anyone',
    ...(operator ? ['operator'] : []),
    ...(operator && !owner ? [] : ['customer']),
  ]
  const own = ORDER_ACTION_NAMES.filter((action) => parts.includes(ORDER_ACTIONS[action].by))
  return own.map((action) => {
    const reason = refusalOf(order, action) ?? (action === 'pay' && !onlinePayment ? PAYMENT_BY_ARRANGEMENT : undefined)
    return reason === undefined ? { action, allowed: true } : { action, allowed: false, reason }
  })
}

export const PAYMENT_BY_ARRANGEMENT = 'Payments are arranged with the shop, which records them itself.'
