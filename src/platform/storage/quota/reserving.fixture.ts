// A process that reserves room for an account, reports this, and waits to be killed. Arguments: the connection as JSON,
// the account, the bytes.
import type pg from 'pg'
import { openDatabase } from '../../db/index.ts'
import { createLog } from '../../telemetry/log.ts'
import { createStorageQuota } from './quota.ts'

const [connection = '{}', ownerId = '', bytes = '0'] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const { db } = openDatabase(JSON.parse(connection) as pg.PoolConfig, log)
const quota = createStorageQuota({ db, log, quotaBytes: 1_000, charges: [] })
await quota.reserve(ownerId, { least: Number(bytes), wanted: Number(bytes) })
process.stdout.write('reserved\n')
setInterval(() => undefined, 60_000)
