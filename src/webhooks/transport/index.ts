export { createFileSource } from './file-source.ts'
export { createSender, type SendError, type Sender, type SendOutcome, type SendRequest } from './sender.ts'
