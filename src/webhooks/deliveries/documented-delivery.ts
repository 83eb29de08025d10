import { Type } from 'typebox'
import { EndpointBody } from '../endpoints/schemas.ts'
import { TEST_EVENT_TYPE } from './store.ts'

const closed = { additionalProperties: false } as const

const { url: _, failedDeliveries: __, ...endpointMembers } = EndpointBody.properties

const TestEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.Unsafe<string>({ type: 'string', enum: [TEST_EVENT_TYPE] }),
    createdAt: Type.String({ format: 'date-time' }),
    sequence: Type.Integer(),
    subject: Type.String({ description: 'Id of the endpoint.' }),
    data: Type.Object(endpointMembers, { ...closed, description: 'The endpoint without its URL.' }),
  },
  { ...closed, title: 'WebhookTestEvent', description: 'The event of `POST /webhook-endpoints/{endpointId}/test`.' },
)

const header = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' },
})

/** The request that the service sends to endpoints, for the section `webhooks` of the document. */
export const DOCUMENTED_DELIVERY = {
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Webhooks'],
      summary: 'Receive an event',
      description:
        'The service posts each event to the endpoints that ask for its type, signed as in Standard Webhooks 1.0. Any 2xx status within 15 seconds accepts the event; other responses cause retries.',
      security: [],
      parameters: [
        header('webhook-id', 'Id of the event, the same in every attempt, retry and replay.'),
        header('webhook-timestamp', 'Time of the attempt in Unix seconds.'),
        header('webhook-signature', 'Space-separated signatures, each `v1,` and base64.'),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              title: 'WebhookEvent',
              oneOf: [{ $ref: '#/components/schemas/Event' }, TestEvent],
            },
          },
        },
      },
      responses: {
        '204': { description: 'The event is accepted.' },
        '410': { description: 'The service disables the endpoint.' },
      },
    },
  },
}
