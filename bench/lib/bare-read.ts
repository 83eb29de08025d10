/**
 * The limit for reading: only `node:http` and one prepared statement, in which `$1` selects the rows. Arguments:
 * connection string, port, statement, the value of `$1`.
 */
import { createServer } from 'node:http'
import pg from 'pg'

const [connectionString, port, text, value] = process.argv.slice(2)
if (text === undefined) throw new Error('there is no statement')
// JSON columns stay text, as in the service: parsing and writing the document would slow down the limit.
pg.types.setTypeParser(pg.types.builtins.JSON, (json) => json)

const pool = new pg.Pool({ connectionString, max: 10 })
const query = { name: 'read', text, values: [value] }

const server = createServer(async (_request, response) => {
  const { rows } = await pool.query(query)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(rows))
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
