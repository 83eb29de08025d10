/**
 * The limit for reading: `node:http` and one prepared statement, nothing else. The statement finds rows by `$1`.
 * Arguments: connection string, port, statement, the value of `$1`.
 */
import { createServer } from 'node:http'
import pg from 'pg'

const [connectionString, port, text, value] = process.argv.slice(2)
if (text === undefined) throw new Error('there is no statement')
// JSON columns stay text, as in the service: parsing the document only to write it again would flatter us.
pg.types.setTypeParser(pg.types.builtins.JSON, (json) => json)

const pool = new pg.Pool({ connectionString, max: 10 })
const query = { name: 'read', text, values: [value] }

const server = createServer(async (_request, response) => {
  const { rows } = await pool.query(query)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(rows))
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
