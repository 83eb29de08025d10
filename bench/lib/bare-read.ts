/**
 * The reference for reading: only `node:http` and one prepared statement, in which `$1` selects the rows. The arguments
 * are the connection string, the port, the statement and the value of `$1`.
 */
import { createServer } from 'node:http'
import pg from 'pg'

const [connectionString, port, text, value] = process.argv.slice(2)
if (text === undefined) throw new Error('the argument with the statement is missing')
// JSON columns stay text, as in the service. Parsing and serializing the document would slow down the reference.
pg.types.setTypeParser(pg.types.builtins.JSON, (json) => json)

const pool = new pg.Pool({ connectionString, max: 10 })
const query = { name: 'read', text, values: [value] }

const server = createServer(async (_request, response) => {
  const { rows } = await pool.query(query)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(rows))
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
