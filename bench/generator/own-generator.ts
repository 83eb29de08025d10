/** The generator for machines without `wrk`. Reads a plan from the standard input, and prints what it counted. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { quantile, repeat } from '../lib/load.ts'
import type { Counted, Plan } from './generator.ts'

const { url, connections, seconds, headers = {}, post } = (await json(process.stdin)) as Plan
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const waiting = [...(post?.bodies ?? [])]
const counts = { refused: 0, errors: 0 }

function send(body: string | undefined): Promise<string> {
  const described: Record<string, string> = { ...headers }
  if (body !== undefined) {
    described['content-type'] = 'application/json'
    described['content-length'] = String(Buffer.byteLength(body))
  }
  if (post?.hasKeys === true) described['idempotency-key'] = randomUUID()
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', agent, headers: described },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        answer.on('end', () => {
          if ((answer.statusCode ?? 0) >= 400) counts.refused += 1
          resolve(text)
        })
      },
    )
    outgoing.on('error', reject).end(body)
  })
}

async function exchange(): Promise<void> {
  const body = waiting.shift()
  try {
    const text = await send(body)
    if (body === undefined) return
    const chained = post?.chained
    waiting.push(chained === undefined ? body : JSON.stringify({ [chained]: JSON.parse(text)[chained] }))
  } catch {
    counts.errors += 1
  }
}

const { perSecond, sortedMs } = await repeat(exchange, { concurrency: connections, seconds })
agent.destroy()
const counted: Counted = {
  requests: sortedMs.length,
  seconds: sortedMs.length / perSecond,
  p50Ms: quantile(sortedMs, 0.5),
  p99Ms: quantile(sortedMs, 0.99),
  ...counts,
}
console.log(JSON.stringify(counted))
