/**
 * The limit for reading a design: `node:http` and one prepared statement, nothing else.
 * Arguments: connection string, design id, port.
 */
import { createServer } from 'node:http'
import pg from 'pg'

const [connectionString, designId, port] = process.argv.slice(2)
// JSON columns stay text, as in the service: parsing the document only to write it again would flatter us.
pg.types.setTypeParser(pg.types.builtins.JSON, (text) => text)

const pool = new pg.Pool({ connectionString, max: 10 })
const query = { name: 'read', text: 'select * from designs where id = $1', values: [designId] }

const server = createServer(async (_request, response) => {
  const { rows } = await pool.query(query)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(rows[0]))
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
