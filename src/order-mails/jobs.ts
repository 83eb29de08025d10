import type { JobDefinition } from '../platform/jobs/jobs.ts'
import type { OrderMailDeps } from './context.ts'
import { sendJob } from './sending/send-job.ts'
import { sendMails } from './sending/send-mails.ts'

export function orderMailJobs(deps: OrderMailDeps): JobDefinition[] {
  return [
    sendJob.handledBy(({ orderId }, attempt) => sendMails(deps, orderId, attempt), {
      isDelivery: true,
      isDrawn: true,
      isSending: true,
    }),
  ]
}
