import { platen, queryClient } from '@platen/app/session'
import type { ShipmentImport } from '@platen/client'
import type { OwnChange } from '../../live/own-changes.ts'
import { noteOwnChanges } from '../../live/unread-events.ts'

/** A part takes about a second, after which the progress moves on. The largest file has 40 parts, of 120 uploads a minute. */
const LINES_PER_PART = 25
const TIMEOUT_MS = 60_000

/**
 * Ships the orders of a checked file, in parts of some lines. Each request contains the whole file, because the service
 * reads its encoding and finds orders that two parts name. What a failed attempt has shipped stays as it is.
 */
export async function sendParts(
  file: Blob,
  checked: ShipmentImport,
  onProgress: (share: number) => void,
): Promise<ShipmentImport> {
  const lines = checked.lines.map(({ line }) => line)
  const parts: ShipmentImport[] = []
  for (let start = 0; start < lines.length; start += LINES_PER_PART) {
    const part = lines.slice(start, start + LINES_PER_PART)
    const query = { dryRun: 'false', firstLine: part[0] ?? 1, lastLine: part.at(-1) ?? 1 } as const
    const options = { contentType: 'text/csv', query, timeoutMs: TIMEOUT_MS }
    const shipped = await platen.production.importShipments(file, options)
    noteOwnChanges(queryClient, ownChanges(shipped))
    parts.push(shipped)
    onProgress((start + part.length) / lines.length)
  }
  return {
    dryRun: false,
    counts: parts.reduce((sum, { counts }) => plus(sum, counts), { ready: 0, shipped: 0, unchanged: 0, faulty: 0 }),
    ignoredColumns: checked.ignoredColumns,
    lines: parts.flatMap((part) => part.lines),
  }
}

/** A line ships all that is left of its order, so nothing of it can be shipped later. */
const ownChanges = ({ lines }: ShipmentImport): OwnChange[] =>
  lines.flatMap(({ orderId: id, outcome }) =>
    id !== undefined && outcome === 'shipped'
      ? [{ id, types: ['shipment.created', 'order.partially_shipped', 'order.shipped'] }]
      : [],
  )

const plus = (a: ShipmentImport['counts'], b: ShipmentImport['counts']): ShipmentImport['counts'] => ({
  ready: a.ready + b.ready,
  shipped: a.shipped + b.shipped,
  unchanged: a.unchanged + b.unchanged,
  faulty: a.faulty + b.faulty,
})
