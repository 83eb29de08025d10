/**
 * A receiver of webhooks that records only their arrival. POST / responds with 200, /fail with 500, /hang never. GET /
 * returns [id, milliseconds since 1970][] of what arrived at / since the last call, in order.
 *
 * Usage: node bare-receiver.ts PORT
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

let arrivals: [id: string, atMs: number][] = []

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(arrivals))
    arrivals = []
    return
  }
  request.resume()
  request.on('end', () => {
    if (request.url === '/hang') return
    if (request.url === '/fail') {
      response.writeHead(500).end()
      return
    }
    arrivals.push([String(request.headers['webhook-id']), performance.timeOrigin + performance.now()])
    response.end()
  })
})
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'))
