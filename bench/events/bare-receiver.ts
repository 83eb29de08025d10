/**
 * A webhook receiver that records only arrivals. The response to POST / is 200 and to POST /fail 500. POST /hang gets
 * no response. GET / returns the arrivals at / since its last call, in order, as [id, milliseconds since 1970][].
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
