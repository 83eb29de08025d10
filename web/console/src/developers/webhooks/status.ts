import type { WebhookDelivery, WebhookEndpoint } from '@platen/client'
import type { MessageKey } from '@platen/ui'
import type { Tone } from '../../parts/pill.tsx'

interface Shown {
  tone: Tone
  text: MessageKey
}

export const DELIVERY_STATUS = {
  pending: { tone: 'info', text: 'consoleDevelopers.deliveryPending' },
  delivered: { tone: 'good', text: 'consoleDevelopers.deliveryDelivered' },
  failed: { tone: 'danger', text: 'consoleDevelopers.deliveryFailed' },
} as const satisfies Record<WebhookDelivery['status'], Shown>

export const DELIVERY_STATUSES = Object.keys(DELIVERY_STATUS) as readonly WebhookDelivery['status'][]

/** Says whether an endpoint gets events, and why not. */
export function endpointStatus({ status, disabledReason }: WebhookEndpoint): Shown {
  if (status === 'enabled') return { tone: 'good', text: 'consoleDevelopers.enabled' }
  if (disabledReason === 'gone') return { tone: 'danger', text: 'consoleDevelopers.disabledGone' }
  if (disabledReason === 'failing') return { tone: 'danger', text: 'consoleDevelopers.disabledFailing' }
  return { tone: 'neutral', text: 'consoleDevelopers.disabled' }
}

/** Whether the time of an attempt has come. The attempt may still wait for other requests to its endpoint. */
export const isDue = (at: string): boolean => new Date(at).getTime() <= Date.now()
