/**
 * The reference for reading: only `node:http` and one prepared statement, which reads the bytes that the service sends.
 * The arguments are the connection string and the port. The path names the row.
 */
import { createServer } from 'node:http'
import pg from 'pg'

const [connectionString, port] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 10 })
const query = { name: 'read', text: 'select body from bench_bodies where id = $1' }

const server = createServer(async (request, response) => {
  const { rows } = await pool.query({ ...query, values: [(request.url ?? '').slice(1)] })
  response.setHeader('content-type', 'application/json')
  response.end(rows[0].body)
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
