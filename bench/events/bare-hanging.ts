/**
 * Posts in repeated bursts to a receiver that never responds, and uses only the part of the service that sends
 * webhooks. Prints the resident memory after each round as JSON: [megabytes, ...].
 *
 * Usage: node --expose-gc bare-hanging.ts URL POSTS_PER_ROUND ROUNDS
 */
import { createSender } from '../../src/webhooks/transport/index.ts'

const [url = '', posts, rounds] = process.argv.slice(2)
const sender = createSender({ allowedNetworks: ['127.0.0.1'], timeoutMs: 2_000 })
const megabytes: number[] = []
for (let round = 0; round < Number(rounds); round += 1) {
  const outcomes = await Promise.all(
    Array.from({ length: Number(posts) }, (_, post) =>
      sender.send({
        url,
        share: 'bench',
        headers: { 'webhook-id': `evt_${post}` },
        body: JSON.stringify({ post, text: 'x'.repeat(4_000) }),
      }),
    ),
  )
  const unexpected = outcomes.find((outcome) => outcome.kind !== 'failed' || outcome.error !== 'timeout')
  if (unexpected !== undefined) throw new Error(`expected only timeouts: ${JSON.stringify(unexpected)}`)
  globalThis.gc?.()
  megabytes.push(process.memoryUsage().rss / 1024 / 1024)
}
await sender.close()
console.log(JSON.stringify(megabytes))
