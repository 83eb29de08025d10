/** An event, and the JSON text that a webhook has as its body. */
export interface ReceivedEvent {
  id: string
  type: string
  subject: string
  createdAt: string
  json: string
}
