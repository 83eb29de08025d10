/**
 * The reference for refreshes: durable transactions of two statements. The arguments are the connection string, the
 * seconds and the number of connections. Prints the transactions per second, and what one takes, as JSON.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { quantile, repeat } from '../lib/load.ts'

const [connectionString = '', seconds, concurrency] = process.argv.slice(2)
const connections = Number(concurrency)
const pool = new pg.Pool({ connectionString, max: connections })
await pool.query('create table if not exists bench_tokens (id text primary key, successor text)')

async function transaction(): Promise<void> {
  const client = await pool.connect()
  const id = randomUUID()
  const update = 'update bench_tokens set successor = $2 where id = $1'
  try {
    await client.query('begin')
    await client.query({ name: 'insert', text: 'insert into bench_tokens values ($1, null)', values: [id] })
    await client.query({ name: 'update', text: update, values: [id, id] })
    await client.query('commit')
  } finally {
    client.release()
  }
}

const { perSecond, sortedMs } = await repeat(transaction, { concurrency: connections, seconds: Number(seconds) })
await pool.end()
console.log(JSON.stringify({ perSecond, p50Ms: quantile(sortedMs, 0.5), p99Ms: quantile(sortedMs, 0.99) }))
