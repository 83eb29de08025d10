import { createNoticeQueue } from '@platen/ui'

/** The notices of the shop. */
export const notices = createNoticeQueue()
