import type { AccountData } from '../auth/index.ts'
import { eachRow } from '../platform/db/reading/each-row.ts'
import { enqueuePurge } from './endpoints/change-endpoints.ts'
import { toEndpointBody } from './endpoints/schemas.ts'
import { type Endpoint, hasEndpoints, listEndpoints, setDeleted } from './endpoints/store.ts'

const PAGE = 100

/** Exports the webhook endpoints of an account without their secrets, and deletes them when the account is erased. */
export const webhookAccountData: AccountData = {
  name: 'webhookEndpoints',
  list: async function* (db, ownerId) {
    const endpoints = eachRow<Endpoint>((last) => listEndpoints(db, { ownerId, after: last?.id, limit: PAGE }))
    for await (const endpoint of endpoints) yield toEndpointBody(endpoint, new Date())
  },
  erase: async (trx, ownerId, at) => {
    if ((await setDeleted(trx, { ownerId }, at)) > 0) await enqueuePurge(trx)
    return !(await hasEndpoints(trx, ownerId))
  },
}
