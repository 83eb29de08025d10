import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/**
 * Posts JSON and returns the response. Uses `node:http`, because `fetch` needs several times its processor time, which
 * would affect the measurement on a small machine.
 */
export function post<T>(address: string, body: object, headers: Record<string, string> = {}): Promise<T> {
  const content = JSON.stringify(body)
  const described = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content), ...headers }
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { method: 'POST', agent, headers: described }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => {
        if (answer.statusCode === 200 || answer.statusCode === 201) resolve(JSON.parse(text) as T)
        else reject(new Error(`${address} responded with ${answer.statusCode}: ${text}`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(content)
  })
}
