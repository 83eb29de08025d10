export type { SendError } from './failures.ts'
export { createSender, type Sender, type SendOutcome, type SendRequest } from './sender.ts'
