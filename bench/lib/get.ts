import { Agent, get as begin } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Reads a URL and returns the text of the response. Uses `node:http` for the same reason as `post`. */
export function get(address: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    begin(address, { agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${address} responded with ${answer.statusCode}: ${text}`))
      })
    }).on('error', reject)
  })
}
