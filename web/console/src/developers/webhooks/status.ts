import type { WebhookDelivery, WebhookEndpoint } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'
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
export function endpointStatus({ status, disabledReason, failingSince }: WebhookEndpoint): Shown {
  if (status === 'enabled' && failingSince !== undefined) {
    return { tone: 'danger', text: 'consoleDevelopers.failing' }
  }
  if (status === 'enabled') return { tone: 'good', text: 'consoleDevelopers.enabled' }
  if (disabledReason === 'gone') return { tone: 'danger', text: 'consoleDevelopers.disabledGone' }
  if (disabledReason === 'failing') return { tone: 'danger', text: 'consoleDevelopers.disabledFailing' }
  return { tone: 'neutral', text: 'consoleDevelopers.disabled' }
}

/** Whether a time has come. An attempt whose time has come may still wait for other requests to its endpoint. */
export const isDue = (at: string): boolean => new Date(at).getTime() <= Date.now()

/** The service counts no more. */
const MOST_COUNTED = 1_000

/** Says how many deliveries to an endpoint have failed. */
export const failedText = (text: Texts['text'], count: number): string =>
  text(count < MOST_COUNTED ? 'console.failedDeliveryCount' : 'console.failedDeliveryCountMore', { count })

/** What administrators read instead of the code of a failed attempt. */
const ERRORS: Readonly<Record<string, MessageKey>> = {
  timeout: 'consoleDevelopers.errorTimeout',
  refused_target: 'consoleDevelopers.errorTarget',
  dns: 'consoleDevelopers.errorDns',
  connection: 'consoleDevelopers.errorConnection',
  tls: 'consoleDevelopers.errorTls',
  bad_answer: 'consoleDevelopers.errorAnswer',
  event_expired: 'consoleDevelopers.errorExpired',
  not_permitted: 'consoleDevelopers.errorNotPermitted',
  secret_unreadable: 'consoleDevelopers.errorSecret',
}

type Attempt = WebhookDelivery['attempts'][number]

/** Says how an attempt ended: with a status, or why there is none. */
export function attemptText(text: Texts['text'], attempt: Pick<Attempt, 'status' | 'error'> | undefined): string {
  const { status, error } = attempt ?? {}
  if (status !== undefined) return String(status)
  const key = error === undefined ? undefined : ERRORS[error]
  return key === undefined ? (error ?? '–') : text(key)
}
