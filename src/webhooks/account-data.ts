import type { AccountData } from '../auth/index.ts'
import { eachRow } from '../platform/db/each-row.ts'
import { enqueue } from '../platform/jobs.ts'
import { PURGE_JOB } from './endpoints/change-endpoints.ts'
import { toEndpointBody } from './endpoints/schemas.ts'
import { type Endpoint, hasEndpoints, listEndpoints, setDeleted } from './endpoints/store.ts'

const PAGE = 100

/** The webhook endpoints of an account in its export, without secrets. Erasing an account deletes them. */
export const webhookAccountData: AccountData = {
  name: 'webhookEndpoints',
  list: async function* (db, ownerId) {
    const endpoints = eachRow<Endpoint>((last) => listEndpoints(db, { ownerId, after: last?.id, limit: PAGE }))
    for await (const endpoint of endpoints) yield toEndpointBody(endpoint)
  },
  erase: async (trx, ownerId, at) => {
    if ((await setDeleted(trx, { ownerId }, at)) > 0) await enqueue(trx, PURGE_JOB, {}, { key: PURGE_JOB })
    return !(await hasEndpoints(trx, ownerId))
  },
}
